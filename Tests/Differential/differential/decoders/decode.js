// Reads a JSON array of texts, and prints one of decoded queries.
const qs = require("qs");
const texts = JSON.parse(require("fs").readFileSync(0, "utf8"));
const options = { allowDots: process.argv[2] === "dots" };
console.log(JSON.stringify(texts.map((text) => qs.parse(text, options))));
