/**
 * A claim that cannot hold is refused before a chain or a peer is asked; one that may hold is read, each transaction
 * once.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AttestationSigner } from "../../../ports/signing/AttestationSigner.ts"
import { ChainObserver } from "../../../ports/chain/ChainObserver.ts"
import { Chains } from "../../../ports/chain/Chains.ts"
import { Hubs } from "../../../ports/hub/Hubs.ts"
import { Signatures } from "../../../ports/signing/Signatures.ts"
import { account, chainOf, slug, standInContext, standInSigner, word } from "../../../property-tests/EvidenceChains.ts"
import { makeWorld } from "../../../property-tests/EvidenceWorld.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import { ChainId } from "../../domain/chain/ChainId.ts"
import { Hex } from "../../domain/encoding/Hex.ts"
import type { RefusalReason } from "../../domain/evidence/judges/Refusal.ts"
import { nobleCurve } from "../../domain/encoding/NobleCurve.ts"
import { signaturesOn } from "../../domain/encoding/Signature.ts"
import type { FillClaim, RefundClaim } from "../../domain/hub/SettlementMessage.ts"
import { CheckedConfiguration } from "../operations/CheckedConfiguration.ts"
import { AskedPeers } from "./AskedPeers.ts"
import { Attesting, layer } from "./Attesting.ts"

const input = { requested: 100n, paid: 100n, weight: 1n, currency: 0, refundMinimum: 90n, refundTo: 30 }
const world = makeWorld({
  origin: "ethereum-vm",
  destination: "ethereum-vm",
  inputs: [input, input],
  payments: [{ recipient: 40, currency: 0, minimum: 50n, extra: 0n }],
  calls: 0,
  fees: 0,
  together: false
}, standInSigner(1))

const native = {
  chainId: ChainId.make(1),
  address: "0x",
  symbol: "N",
  name: "N",
  decimals: 18,
  isNative: true
} as never
const chain = {
  ...chainOf(slug("ethereum-vm")),
  id: ChainId.make(1),
  name: "n",
  router: undefined,
  vault: undefined,
  native,
  currencies: [native],
  finality: { _tag: "Tag", tag: "finalized", seconds: 1 },
  confirmations: [],
  blockTimeMs: 1,
  explorerUrl: undefined
} as Chain

/** `asked` collects the transactions that were read, and "peers" when peers were asked. */
const attesting = (asked: Array<string>) => {
  const isRead = (id: string) => world.observations.filter(({ transactionId }) => transactionId === id)
  const service = Effect.provide(
    Effect.gen(function*() {
      return yield* Attesting
    }),
    layer.pipe(Layer.provide([
      Layer.succeed(Chains, { all: [chain] }),
      Layer.succeed(Hubs, {
        domains: [{ name: "RelayOracle", version: "1", chainId: 1n, verifyingContract: account("ethereum-vm", 60) }]
      }),
      Layer.succeed(Signatures, {
        ...signaturesOn(nobleCurve),
        engine: "noble",
        isSignedBy: standInContext.isSignedBy
      }),
      Layer.mock(CheckedConfiguration, { assertServing: () => Effect.void }),
      Layer.succeed(AttestationSigner, {
        address: Effect.succeed(account("ethereum-vm", 1)),
        check: Effect.succeed(account("ethereum-vm", 1)),
        signDigest: () => Effect.succeed(Hex.make("0x01"))
      }),
      Layer.succeed(ChainObserver, {
        observe: (_, ids) =>
          Effect.sync(() => {
            asked.push(...ids)
            return ids.flatMap(isRead)
          }),
        health: () => Effect.die(new Error("unasked"))
      })
    ]))
  )
  const peers = {
    begin: Effect.sync(() => {
      asked.push("peers")
    }),
    cosign: Effect.succeed
  }
  return Effect.map(service, ({ fill, refund }) => ({
    attestFill: (claim: FillClaim) => Effect.provideService(fill(claim), AskedPeers, peers),
    attestRefund: (claim: RefundClaim) => Effect.provideService(refund(claim), AskedPeers, peers)
  }))
}

const { fill, refund } = world
const [first, second] = fill.inputs
const [refunded] = refund.refunds
if (first === undefined || second === undefined || refunded === undefined) throw new Error("a world without entries")

/** What is wrong with what both kinds of claims have. */
const common: ReadonlyArray<
  readonly [reason: RefusalReason, spoiled: Partial<Pick<FillClaim, "inputs" | "order" | "orderSignature">>]
> = [
  ["wrong-order-signature", { orderSignature: standInSigner(2).sign(world.id) }],
  ["wrong-order-signature", { orderSignature: Hex.make("0x") }],
  ["wrong-order-signature", { order: { ...world.order, salt: word(5) } }],
  ["duplicate-onchain-id", { inputs: [first, { ...second, onchainId: first.onchainId }] }],
  ["missing-entry", { inputs: [first] }],
  ["extra-entry", { inputs: [first, { ...second, inputIndex: first.inputIndex }] }],
  ["extra-entry", { inputs: [first, second, { ...second, inputIndex: 2, onchainId: word(9) }] }],
  ["malformed", { inputs: [first, { ...second, transactionId: "0x1" }] }]
]

describe("a settlement claim", () => {
  it.effect("that cannot be valid reads no chain and asks no peer", () =>
    Effect.gen(function*() {
      const asked: Array<string> = []
      const service = yield* attesting(asked)
      for (const [reason, spoiled] of common) {
        assert.include(yield* Effect.flip(service.attestFill({ ...fill, ...spoiled })), { _tag: "Refusal", reason })
        assert.include(yield* Effect.flip(service.attestRefund({ ...refund, ...spoiled })), { _tag: "Refusal", reason })
      }
      assert.include(yield* Effect.flip(service.attestFill({ ...fill, fill: { transactionId: "none" } })), {
        _tag: "Refusal",
        reason: "malformed"
      })
      const refunds = [
        ["missing-entry", [refunded]],
        ["extra-entry", [refunded, refunded]],
        ["unknown-refund", refund.refunds.map((entry) => ({ ...entry, refundIndex: 7 }))],
        ["malformed", refund.refunds.map((entry) => ({ ...entry, transactionId: "" }))]
      ] as const
      for (const [reason, spoiled] of refunds) {
        assert.include(yield* Effect.flip(service.attestRefund({ ...refund, refunds: spoiled })), {
          _tag: "Refusal",
          reason
        })
      }
      assert.deepStrictEqual(asked, [])
    }))

  it.effect("that may be valid is read, each transaction once", () =>
    Effect.gen(function*() {
      const asked: Array<string> = []
      const service = yield* attesting(asked)
      yield* service.attestFill(fill)
      assert.deepStrictEqual(asked, ["peers", first.transactionId, second.transactionId, fill.fill.transactionId])
      yield* service.attestRefund(refund)
      assert.lengthOf(new Set(asked), 1 + 2 + 1 + refund.refunds.length)
    }))
})
