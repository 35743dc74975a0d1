// node early.js KEY CERTIFICATE [http2]
//
// Responds with 401 as soon as it has the head of a request, and does not read the body. Then it resets the stream without
// an error. Speaks HTTP/2 and HTTP/1.1, or HTTP/2 alone.
// Prints "ready URL".
const fs = require('fs');
const http2 = require('http2');

const [key, cert] = process.argv.slice(2, 4).map((file) => fs.readFileSync(file));
const server = http2.createSecureServer({ key, cert, allowHTTP1: process.argv[4] !== 'http2' });
const body = '{"error":"expired"}';
server.on('sessionError', () => {});
server.on('request', (request, response) => {
  request.on('error', () => {});
  response.on('error', () => {});
  const fields = { 'content-type': 'application/json' };
  if (request.url === '/length') fields['content-length'] = body.length;
  response.writeHead(401, fields);
  response.end(body);
});
server.listen(0, '127.0.0.1', 4096, () => console.log(`ready https://localhost:${server.address().port}`));
