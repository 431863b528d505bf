// Loads a .vrm or .glb with three.js and @pixiv/three-vrm, poses it, and says in the title what it found.
import * as THREE from 'three'
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js'
import { VRMLoaderPlugin } from '@pixiv/three-vrm'

const told = []
console.warn = (...words) => told.push(words.join(' '))

function bytes(text) {
  const raw = atob(text)
  return Uint8Array.from(raw, letter => letter.charCodeAt(0)).buffer
}

async function show() {
  const renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true })
  renderer.setSize(900, 900)
  document.body.appendChild(renderer.domElement)
  const scene = new THREE.Scene()
  scene.background = new THREE.Color(0x999999)
  scene.add(new THREE.HemisphereLight(0xffffff, 0x888888, 2.5))
  const loader = new GLTFLoader()
  loader.register(parser => new VRMLoaderPlugin(parser))
  const gltf = await loader.parseAsync(bytes(window.FILE), '')
  scene.add(gltf.scene)
  const found = { warnings: told }
  const vrm = gltf.userData.vrm
  if (vrm) {
    found.version = vrm.meta.metaVersion
    found.name = vrm.meta.name
    found.bones = Object.keys(vrm.humanoid.humanBones)
    found.expressions = vrm.expressionManager ? vrm.expressionManager.expressions.map(e => e.expressionName) : []
    found.springs = vrm.springBoneManager ? [...vrm.springBoneManager.joints].map(joint => joint.bone.name) : []
    found.lookAt = Boolean(vrm.lookAt)
    const bend = (bone, x, y, z) => vrm.humanoid.getNormalizedBoneNode(bone)?.rotation.set(x, y, z)
    const place = bone => vrm.humanoid.getRawBoneNode(bone).getWorldPosition(new THREE.Vector3()).toArray()
    scene.updateMatrixWorld(true)
    found.rest = Object.fromEntries(found.bones.map(bone => [bone, place(bone)]))
    bend('leftUpperArm', 0, 0, -1.2)
    bend('rightUpperArm', 0, 0, -0.9)
    bend('rightLowerArm', 0, 1.2, 0)
    bend('leftUpperLeg', -0.9, 0, 0)
    bend('leftLowerLeg', 1.2, 0, 0)
    bend('head', 0, 0.5, 0)
    vrm.update(0)
    scene.updateMatrixWorld(true)
    found.posed = Object.fromEntries(found.bones.map(bone => [bone, place(bone)]))
  } else if (gltf.animations.length) {
    const mixer = new THREE.AnimationMixer(gltf.scene)
    found.animations = gltf.animations.map(clip => [clip.name, clip.duration])
    mixer.clipAction(gltf.animations[0]).play()
    mixer.setTime(gltf.animations[0].duration * 0.3)
    scene.updateMatrixWorld(true)
  }
  const box = new THREE.Box3().setFromObject(gltf.scene, true)
  const size = box.getSize(new THREE.Vector3()), middle = box.getCenter(new THREE.Vector3())
  const camera = new THREE.PerspectiveCamera(30, 1, 0.01, 1000)
  const away = Math.max(size.x, size.y) * 2.3
  camera.position.set(middle.x + 0.35 * away, middle.y + 0.1 * away, middle.z + away)
  camera.lookAt(middle)
  renderer.render(scene, camera)
  found.size = size.toArray()
  const gl = renderer.getContext(), pixel = new Uint8Array(4 * 900 * 900)
  gl.readPixels(0, 0, 900, 900, gl.RGBA, gl.UNSIGNED_BYTE, pixel)
  const shown = []
  for (let i = 0; i < pixel.length; i += 4) if (pixel[i] !== 0x99) shown.push(pixel[i] / 255)
  found.brightness = shown.sort()[shown.length >> 1]
  return found
}

show().then(found => { document.title = JSON.stringify(found) }, error => {
  document.title = JSON.stringify({ error: String(error && error.stack || error) })
})
