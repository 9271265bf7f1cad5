/** What an operator learns about the peers, at start and in /ready/v1. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { Address } from "../../../src/domain/chain/Address.ts"
import { parsePeers } from "./ParsePeers.ts"
import { standingOf } from "./PeerStanding.ts"

const us = Address.make(`0x${"11".repeat(20)}`)
const them = Address.make(`0x${"22".repeat(20)}`)

const standing = (peers: string, allowed: ReadonlyArray<Address> | undefined, threshold: number | undefined) =>
  standingOf({
    entries: peers === "" ? [] : Result.getOrThrow(parsePeers(peers, true)),
    allowed: allowed === undefined ? undefined : new Set(allowed),
    threshold,
    timeoutMs: 1
  }, us)

describe("the standing with peers", () => {
  it("has no warning without peers, or when the gate's signers are named and https is used", () => {
    assert.deepStrictEqual(standing("", undefined, undefined), {
      active: 0,
      shadows: 0,
      signers: undefined,
      threshold: undefined,
      warnings: []
    })
    assert.deepStrictEqual(standing("https://a.example|k;https://b.example|s|shadow", [us, them], 2), {
      active: 1,
      shadows: 1,
      signers: 2,
      threshold: 2,
      warnings: []
    })
  })

  it("warns of what a peer could do, and of settings without effect", () => {
    const warnings = (...of: Parameters<typeof standing>) =>
      standing(...of).warnings.map((warning) => warning.slice(0, 40))
    assert.match(standing("https://a.example|k", undefined, 2).warnings.join(), /can reach the threshold/u)
    assert.match(
      standing("https://a.example|k", undefined, undefined).warnings.join(),
      /any signer that a peer returns counts/u
    )
    assert.deepStrictEqual(warnings("https://a.example|k|shadow", undefined, undefined), [])
    assert.deepStrictEqual(warnings("https://a.example|k", [them], 2), [
      "ORACLE_SIGNERS does not name this oracle itself".slice(0, 40)
    ])
    assert.deepStrictEqual(warnings("https://a.example|k", [us, them], 1), [
      "ORACLE_SIGNERS_THRESHOLD is 1: this oracle's own".slice(0, 40)
    ])
    assert.match(
      standing("http://10.0.0.7|s3cret", [us, them], 2).warnings.join(),
      /^peer 10\.0\.0\.7 is asked without TLS/u
    )
    assert.notInclude(standing("http://10.0.0.7|s3cret", undefined, 2).warnings.join(), "s3cret")
  })
})
