/**
 * The baseline of all comparisons: a bare `node:http` handler that reads the body and answers given bytes. `node
 * BareServer.ts PORT` with the bytes on stdin.
 */
import { createServer } from "node:http"
import { text } from "node:stream/consumers"

const answer = Buffer.from(await text(process.stdin))

createServer((request, response) => {
  request.resume().on("end", () => {
    response.writeHead(200, { "content-type": "application/json", "content-length": answer.length }).end(answer)
  })
}).listen(Number(process.argv[2]), "127.0.0.1", () => process.stdout.write("listening\n"))
