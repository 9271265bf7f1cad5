/** The meaning of PEERS and ORACLE_SIGNERS, and which values prevent the start (CONFIG-7, PEER-5). */
import { assert, describe, it } from "@effect/vitest"
import { Redacted, Result } from "effect"
import { parsePeers, parseSigners, unprotected } from "./ParsePeers.ts"

const shown = (text: string, isLocal = false) =>
  Result.getOrThrow(parsePeers(text, isLocal)).map((
    { isShadow, key, name, url }
  ) => [name, Redacted.value(url), key === "pass-through" ? key : Redacted.value(key), isShadow])

const problems = (text: string, isLocal = false): string => {
  const parsed = parsePeers(text, isLocal)
  return Result.isFailure(parsed) ? parsed.failure.message : "none"
}

describe("PEERS", () => {
  it("is split at the first bar; a trailing semicolon and spaces are ignored, and a shadow is marked at the end", () => {
    assert.deepStrictEqual(
      shown("https://a.example|one;https://b.example:8443/base/|t|w|o ; http://10.0.0.7|three|shadow;"),
      [
        ["a.example", "https://a.example", "one", false],
        ["b.example", "https://b.example:8443/base/", "t|w|o", false],
        ["10.0.0.7", "http://10.0.0.7", "three", true]
      ]
    )
  })

  it("names peers of one host by their position, and on the loopback by port", () => {
    assert.deepStrictEqual(
      shown("https://a.example/x|one;https://a.example/y|two;http://127.0.0.1:3001|three").map(([name]) => name),
      ["a.example (1)", "a.example (2)", "127.0.0.1:3001"]
    )
  })

  it("passes the caller's key on over https, and to the loopback in the local environment", () => {
    assert.deepStrictEqual(
      shown("https://a.example|pass-through;https://b.example|pass-through|shadow").map(([, , key]) => key),
      ["pass-through", "pass-through"]
    )
    for (const loopback of ["http://127.0.0.1:3000", "http://[::1]:3000", "http://localhost:3000"]) {
      assert.strictEqual(shown(`${loopback}|pass-through`, true).length, 1)
      assert.include(problems(`${loopback}|pass-through`, false), "entry 1 passes the incoming key on without https")
    }
    for (
      const elsewhere of ["http://10.0.0.1", "http://127.0.0.1.example", "http://localhost.example", "http://a.example"]
    ) {
      assert.include(problems(`${elsewhere}|pass-through`, true), "entry 1 passes the incoming key on without https")
    }
  })

  it("stops the start for invalid entries, without repeating any of them", () => {
    const wrong: Readonly<Record<string, string>> = {
      "": "entry 1 has no http(s) URL",
      ";": "entry 1 has an empty key",
      "https://s3cret.example": "entry 1 has an empty key",
      "https://s3cret.example|": "entry 1 has an empty key",
      "https://s3cret.example|  |shadow": "entry 1 has an empty key",
      // If an operator forgets the key, the entry must not become an active peer.
      "https://s3cret.example|shadow": "entry 1 has an empty key",
      "https://a.example|s3cret;;https://b.example|other": "entry 2 has no http(s) URL",
      "ftp://s3cret.example|k": "entry 1 has no http(s) URL",
      "https://|s3cret": "entry 1 has no http(s) URL",
      "s3cret|k": "entry 1 has no http(s) URL",
      "https://user:s3cret@a.example|k": "entry 1 has a user or a password",
      "https://a.example/?key=s3cret|k": "entry 1 has a query or a fragment",
      "https://a.example/|s3cret s3cret": "entry 1 has a key that no header can carry",
      "https://a.example/|s3cret\u00e9": "entry 1 has a key that no header can carry",
      "https://a.example|s3cret;https://b.example|s3cret": "PEERS has the same key twice",
      "https://A.example/|s3cret;https://a.example|other": "PEERS has the same peer twice"
    }
    for (const [text, problem] of Object.entries(wrong)) {
      assert.include(problems(text), problem, text)
      assert.notInclude(problems(text), "s3cret", text)
    }
  })

  it("lists everything that is wrong", () => {
    const said = problems("nothing;http://a.example|pass-through;https://u:p@b.example|").split("\n  - ")
    assert.lengthOf(said, 5)
    assert.isTrue(said.every((line) => line.startsWith("PEERS: entry ")))
  })

  it("names the peers that are asked without https beyond this machine", () => {
    const peers = Result.getOrThrow(parsePeers("http://10.0.0.7|a;https://a.example|b;http://127.0.0.1:3001|c", true))
    assert.deepStrictEqual(unprotected(peers), ["10.0.0.7"])
  })
})

describe("ORACLE_SIGNERS", () => {
  it("is a list of addresses, in any case, each once", () => {
    const one = `0x${"aB".repeat(20)}`
    assert.deepStrictEqual(
      [...Result.getOrThrow(parseSigners(`0x${"11".repeat(20)} ; ${one.toLowerCase()};`))].map(String),
      [`0x${"11".repeat(20)}`, one.toLowerCase()]
    )
    for (
      const wrong of [
        "",
        ";",
        "0x",
        `0x${"11".repeat(20)};;`,
        `0x${"11".repeat(20)},0x${"22".repeat(20)}`,
        `0x${"11".repeat(20)};0x${"11".repeat(20)}`
      ]
    ) {
      const parsed = parseSigners(wrong)
      assert.isTrue(Result.isFailure(parsed) && parsed.failure.message.startsWith("ORACLE_SIGNERS has"), wrong)
    }
  })
})
