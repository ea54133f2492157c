module.exports = require('./define.cjs')(__filename, require('furcate'));
