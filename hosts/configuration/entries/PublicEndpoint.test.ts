import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { ChainSlug } from "../../../src/domain/chain/ChainId.ts"
import { publicEndpointOf } from "./PublicEndpoint.ts"

const id = "alpha" as ChainSlug
const told = (httpRpcUrl: string | ReadonlyArray<string>, publicRpcUrl?: string, environment = "mainnets.prod") => {
  const found = publicEndpointOf(
    { id, httpRpcUrl, ...(publicRpcUrl === undefined ? {} : { publicRpcUrl }) },
    environment
  )
  return Result.isFailure(found) ? found.failure.message : found.success
}

describe("the endpoint that everybody is told", () => {
  it("is the one that the entry names", () => {
    assert.strictEqual(told("https://own.example/v3/KEY", "https://public.example/rpc"), "https://public.example/rpc")
  })

  it("is nothing without one: an own endpoint may hold a key", () => {
    for (const own of ["https://own.example/v3/KEY", "http://127.0.0.1:8545"]) assert.isUndefined(told(own))
  })

  it("is never an own one", () => {
    for (const own of ["https://own.example/v3/KEY", "https://a.example,https://own.example/v3/KEY"]) {
      assert.match(told(own, "https://OWN.example/v3/KEY") ?? "", /one of its own httpRpcUrl/u)
    }
  })

  it("has no password, and is encrypted unless it is this machine's", () => {
    for (const bad of ["http://public.example", "https://user:secret@public.example", "ftp://public.example", "x"]) {
      const message = told("https://own.example", bad) ?? ""
      assert.match(message, /is not an https URL/u, bad)
      assert.notInclude(message, "secret")
    }
    assert.strictEqual(told("https://own.example", "http://127.0.0.1:8545"), "http://127.0.0.1:8545")
  })

  it("is the node's own in a local network, if its URL is nothing but an address of this machine", () => {
    assert.strictEqual(told("http://127.0.0.1:8545", undefined, "local"), "http://127.0.0.1:8545")
    for (
      const own of [
        "http://user:secret@127.0.0.1:8545",
        "http://127.0.0.1:8545/secret",
        "http://127.0.0.1:8545/?key=secret",
        "https://node.example"
      ]
    ) assert.isUndefined(told(own, undefined, "local"), own)
  })
})
