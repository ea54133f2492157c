module.exports = require('./define.ts').define(__filename, require('furcate'));
