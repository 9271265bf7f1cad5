import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import { HttpServerRequest } from "effect/http"
import { clientAddress, parseNetworks } from "./ClientAddress.ts"

const requestFrom = (peer: string, forwarded?: string) =>
  HttpServerRequest.fromWeb(
    new Request("http://localhost/", { headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded } })
  )
    .modify({ remoteAddress: Option.some(peer) })

const proxies = parseNetworks("10.0.0.0/8, 192.0.2.7, 2001:db8::/32") ?? assert.fail("networks")
const of = clientAddress(proxies)

describe("the client's address", () => {
  it("is the peer's address, whatever a client that is not a trusted proxy claims", () => {
    assert.strictEqual(of(requestFrom("203.0.113.9", "198.51.100.1")), "203.0.113.9")
    assert.strictEqual(of(requestFrom("192.0.2.8", "198.51.100.1")), "192.0.2.8")
  })

  it("is the last address that is not ours behind a trusted proxy", () => {
    assert.strictEqual(of(requestFrom("10.1.2.3", "198.51.100.1")), "198.51.100.1")
    assert.strictEqual(of(requestFrom("192.0.2.7", "1.1.1.1, 198.51.100.1, 10.9.9.9")), "198.51.100.1")
    assert.strictEqual(of(requestFrom("::ffff:10.1.2.3", "::ffff:198.51.100.1")), "198.51.100.1")
    assert.strictEqual(of(requestFrom("10.1.2.3", "garbage")), "10.1.2.3")
    assert.strictEqual(of(requestFrom("10.1.2.3")), "10.1.2.3")
  })

  it("is the /64 of an IPv6 client, in one spelling", () => {
    assert.strictEqual(of(requestFrom("2a00:0001::9:8:7")), of(requestFrom("2a00:1:0:0:5::1")))
    assert.notStrictEqual(of(requestFrom("2a00:1:0:1::1")), of(requestFrom("2a00:1:0:2::1")))
    assert.strictEqual(of(requestFrom("2001:db8::1", "2a00:1::1")), "2a00:1:0:0")
  })

  it("refuses invalid networks", () => {
    for (const text of ["10.0.0.0/33", "10.0.0", "::/129", "10.0.0.0/8/8", "10.0.0.0/", "host"]) {
      assert.isUndefined(parseNetworks(text), text)
    }
    assert.isDefined(parseNetworks(""))
  })
})
