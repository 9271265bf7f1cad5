/** Prepared answers: who has the bytes gets none, by the strong ETag of the encoding that it takes. */
import { assert, describe, it } from "@effect/vitest"
import { HttpServerResponse } from "effect/http"
import { gunzipSync } from "node:zlib"
import { prepare } from "./PreparedAnswer.ts"

const bytesOf = ({ body }: HttpServerResponse.HttpServerResponse): Uint8Array =>
  body._tag === "Uint8Array" ? body.body : new Uint8Array()

const text = "äußerst ".repeat(1_000)
const prepared = prepare(HttpServerResponse.text(text, { contentType: "text/plain; charset=utf-8" }))

describe("a prepared answer", () => {
  it("has one strong ETag for each encoding, and the same bytes in both", () => {
    const [plain, zipped] = [prepared({}), prepared({ "accept-encoding": "br, gzip" })]
    assert.strictEqual(new TextDecoder().decode(bytesOf(plain)), text)
    assert.strictEqual(new TextDecoder().decode(gunzipSync(bytesOf(zipped))), text)
    assert.strictEqual(zipped.headers["content-encoding"], "gzip")
    assert.isUndefined(plain.headers["content-encoding"])
    for (const answer of [plain, zipped]) {
      assert.match(answer.headers["etag"] ?? "", /^"[\w-]+"$/u)
      assert.strictEqual(answer.headers["content-length"], `${bytesOf(answer).length}`)
      assert.strictEqual(answer.headers["content-type"], "text/plain; charset=utf-8")
      assert.strictEqual(answer.headers["cache-control"], "no-cache")
      assert.strictEqual(answer.headers["vary"], "accept-encoding")
    }
    assert.notStrictEqual(plain.headers["etag"], zipped.headers["etag"])
  })

  it("is compressed for who takes gzip, and for nobody who refuses it", () => {
    const encodingFor = (header: string) => prepared({ "accept-encoding": header }).headers["content-encoding"]
    for (const header of ["gzip", "br,gzip", "GZIP;q=0.1", "gzip ; q=1, br", "gzip;q=0.001", "br;q=0, gzip"]) {
      assert.strictEqual(encodingFor(header), "gzip", header)
    }
    for (const header of ["", "br", "gzip;q=0", "br, gzip ; q=0.000 , deflate", "x-not-gzip", "gzipped", "identity"]) {
      assert.isUndefined(encodingFor(header), header)
    }
  })

  it("is a 304 without bytes for who names its ETag, and for nobody else", () => {
    const etag = prepared({}).headers["etag"] ?? ""
    for (const header of [etag, `W/${etag}`, `"other", ${etag}`, `"other",W/${etag}`, "*", " * "]) {
      const answer = prepared({ "if-none-match": header })
      assert.deepStrictEqual([answer.status, answer.body._tag, answer.headers["etag"]], [304, "Empty", etag], header)
    }
    for (const header of ["", "other", `"other"`, etag.slice(1, -1), `x${etag}`]) {
      assert.strictEqual(prepared({ "if-none-match": header }).status, 200, header)
    }
    assert.strictEqual(prepared({ "if-none-match": etag, "accept-encoding": "gzip" }).status, 200, "another encoding")
  })

  it("keeps the headers of the answer, and adds to what it varies by", () => {
    const headers = { vary: "accept", "x-robots-tag": "noindex", "cache-control": "no-store" }
    const page = prepare(HttpServerResponse.text("short", { headers }))
    for (const answer of [page({ "accept-encoding": "gzip" }), page({ "if-none-match": "*" })]) {
      assert.strictEqual(answer.headers["vary"], "accept, accept-encoding")
      assert.strictEqual(answer.headers["x-robots-tag"], "noindex")
      assert.strictEqual(answer.headers["cache-control"], "no-cache")
    }
    assert.strictEqual(new TextDecoder().decode(bytesOf(page({ "accept-encoding": "gzip" }))), "short")
  })

  it("changes its ETag with its bytes", () => {
    const etags = ["a", "b", ""].map((each) => prepare(HttpServerResponse.text(each))({}).headers["etag"])
    assert.strictEqual(new Set(etags).size, etags.length)
  })
})
