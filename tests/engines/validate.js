// glTF's own validator on one file: its report as JSON.
const fs = require('fs')
const validator = require('gltf-validator')
validator.validateBytes(new Uint8Array(fs.readFileSync(process.argv[2])))
  .then(report => console.log(JSON.stringify(report.issues)))
