/**
 * An exchange for load, and the service that keeps the mappings of its nonces. Each question has its answer, in which
 * `$ID` stands for the requested transaction. `node ExchangeStub.ts PORT`, answers by question (`ExchangeAnswers`) on
 * stdin.
 */
import { readFileSync } from "node:fs"
import { createServer } from "node:http"

const [port = "0"] = process.argv.slice(2)
const answers = new Map(Object.entries(JSON.parse(readFileSync(0, "utf8")) as Readonly<Record<string, string>>))

/** A path, or the type of a posted question; and the requested transaction, if any. */
const questionOf = (url: URL, posted: string): readonly [string, string] => {
  if (posted === "") return [url.pathname, url.searchParams.get("value") ?? ""]
  const { hash = "", type } = JSON.parse(posted) as { readonly type: string; readonly hash?: string }
  return [type, hash]
}

createServer((request, response) => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk)).on("end", () => {
    const [question, id] = questionOf(new URL(request.url ?? "/", "http://stub"), Buffer.concat(chunks).toString())
    const answer = answers.get(question)
    const body = Buffer.from((answer ?? "{}").replace("$ID", id))
    response.writeHead(answer === undefined ? 404 : 200, {
      "content-type": "application/json",
      "content-length": body.length
    }).end(body)
  })
}).listen(Number(port), "127.0.0.1", () => process.stdout.write("listening\n"))
