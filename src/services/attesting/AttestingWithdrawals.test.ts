/** With several hubs, and worlds that answer only what they are told: for whom is signed, and what is asked before. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AttestationSigner } from "../../../ports/signing/AttestationSigner.ts"
import { ChainObserver } from "../../../ports/chain/ChainObserver.ts"
import { Chains } from "../../../ports/chain/Chains.ts"
import { HubBalances } from "../../../ports/hub/HubBalances.ts"
import { Hubs } from "../../../ports/hub/Hubs.ts"
import { SettlementHubs, type SettlementHub } from "../../../ports/hub/SettlementHubs.ts"
import { Signatures } from "../../../ports/signing/Signatures.ts"
import { WithdrawalObserver } from "../../../ports/chain/WithdrawalObserver.ts"
import { account, chainOf, slug, standInContext, standInSigner, word } from "../../../property-tests/EvidenceChains.ts"
import { makeWithdrawalWorld } from "../../../property-tests/EvidenceWithdrawals.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import { ChainId, ChainSlug } from "../../domain/chain/ChainId.ts"
import { Hex } from "../../domain/encoding/Hex.ts"
import { TransactionId } from "../../domain/chain/TransactionId.ts"
import type { Observation } from "../../domain/evidence/TransactionEvidence.ts"
import type { WithdrawalEvidence } from "../../domain/evidence/withdrawal/WithdrawalEvidence.ts"
import { signaturesOn } from "../../domain/encoding/Signature.ts"
import { nobleCurve } from "../../domain/encoding/NobleCurve.ts"
import { initiationHash } from "../../domain/hub/withdrawal/WithdrawalInitiation.ts"
import { CheckedConfiguration } from "../operations/CheckedConfiguration.ts"
import { AttestingWithdrawals, layer } from "./AttestingWithdrawals.ts"

const world = makeWithdrawalWorld("ethereum-vm")
const [issuing] = world.terms.hubs

const hub = (name: string, id: number, allocator: SettlementHub["allocator"], gate: string): SettlementHub => ({
  slug: ChainSlug.make(name),
  id: ChainId.make(id),
  finality: { _tag: "Tag", tag: "finalized", seconds: 1 },
  contract: account("ethereum-vm", 60),
  domain: { name: "RelayOracle", version: "1", chainId: BigInt(id), verifyingContract: gate },
  allocator
})
const here = hub("here", Number(issuing?.chainId), standInSigner(3).account, issuing?.oracleContract ?? "")
const there = hub("there", 9, standInSigner(5).account, account("ethereum-vm", 61))
const ownerless = hub("ownerless", 10, undefined, account("ethereum-vm", 62))

const named = slug("ethereum-vm")
const judged = chainOf(named)
const native = {
  chainId: ChainId.make(1),
  address: world.request.currency,
  symbol: "N",
  name: "N",
  decimals: 18,
  isNative: true
} as never
const chain = {
  ...judged,
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

/** `asked` collects what was read of the world, which shows `seen` and `evidence`. */
const attesting = (
  asked: Array<string>,
  hubs: ReadonlyArray<SettlementHub>,
  { evidence = world.evidence, seen = [] }: {
    readonly evidence?: WithdrawalEvidence
    readonly seen?: ReadonlyArray<Observation>
  } = {}
) => {
  const reading = <A>(what: string, answer: A) =>
    Effect.sync(() => {
      asked.push(what)
      return answer
    })
  return Effect.provide(
    Effect.gen(function*() {
      return yield* AttestingWithdrawals
    }),
    layer.pipe(Layer.provide([
      Layer.mock(CheckedConfiguration, { assertServing: () => Effect.void }),
      Layer.succeed(Chains, { all: [chain] }),
      Layer.succeed(Hubs, { domains: hubs.map(({ domain }) => domain) }),
      Layer.succeed(SettlementHubs, { all: hubs }),
      Layer.succeed(Signatures, {
        ...signaturesOn(nobleCurve),
        engine: "noble",
        isSignedBy: standInContext.isSignedBy
      }),
      Layer.succeed(AttestationSigner, {
        address: Effect.succeed(account("ethereum-vm", 1)),
        check: Effect.succeed(account("ethereum-vm", 1)),
        signDigest: () => Effect.succeed(Hex.make("0x01"))
      }),
      Layer.succeed(ChainObserver, {
        observe: () => reading("transaction", seen),
        health: () => Effect.die(new Error("unasked"))
      }),
      Layer.succeed(WithdrawalObserver, {
        observe: () => reading("withdrawal", evidence),
        readable: () => Effect.succeed([])
      }),
      Layer.succeed(HubBalances, {
        read: (of, holder, tokenId) => reading(`balance on ${of.slug}`, { account: holder, tokenId, balance: 100n }),
        health: () => Effect.die(new Error("unasked"))
      })
    ]))
  )
}

const claim = { ...world.claim, transactionId: undefined }

describe("withdrawals with several hubs", () => {
  it.effect("are signed only for the hub whose allocator issued them, and unissued ones are refused before anything is read", () =>
    Effect.gen(function*() {
      const asked: Array<string> = []
      const { withdrawal } = yield* attesting(asked, [there, here, ownerless])
      const { execution } = yield* withdrawal(claim)
      assert.deepStrictEqual(execution?.signatures.map(({ domain }) => domain), [here.domain])
      assert.deepStrictEqual(asked, ["withdrawal"])
      const elsewhere = yield* attesting(asked, [there, ownerless])
      assert.include(yield* Effect.flip(elsewhere.withdrawal(claim)), { _tag: "Refusal", reason: "invalid-issuance" })
      assert.lengthOf(asked, 1)
    }))

  it.effect("are not refused for an execution that happened after the block at which they are read", () =>
    Effect.gen(function*() {
      const transactionId = TransactionId.make(word(77))
      const executing: Observation = {
        _tag: "Transaction",
        chain: ChainSlug.make(named),
        transactionId,
        outcome: "succeeded",
        block: { height: 98n, hash: word(98), time: 1_000 },
        finality: { _tag: "Final" },
        deposits: [],
        payments: [],
        orderIds: [],
        routerCalls: [],
        withdrawals: [world.evidence.withdrawalId]
      }
      const older: WithdrawalEvidence = {
        ...world.evidence,
        state: { _tag: "Unused", finalTime: 999, headTime: 1_001 }
      }
      const { withdrawal } = yield* attesting([], [here], { seen: [executing], evidence: older })
      assert.include(yield* Effect.flip(withdrawal({ ...claim, transactionId })), {
        _tag: "ChainUnavailable",
        kind: "behind"
      })
      // Another transaction did not do it, at whatever block it is read.
      const other = yield* attesting([], [here], { seen: [{ ...executing, withdrawals: [] }], evidence: older })
      assert.include(yield* Effect.flip(other.withdrawal({ ...claim, transactionId })), {
        _tag: "Refusal",
        reason: "wrong-transaction"
      })
    }))

  it.effect("start on the hub that their owner names", () =>
    Effect.gen(function*() {
      const asked: Array<string> = []
      const { initiated, initiation } = yield* attesting(asked, [here, there])
      const owner = standInSigner(4)
      const made = {
        settlementChainId: "there",
        expectedAmount: "100",
        chainId: named,
        currency: world.request.currency,
        withdrawer: owner.account,
        withdrawerChainId: named,
        recipient: account("ethereum-vm", 33),
        withdrawalNonce: word(5)
      }
      const { expectedAmount: amount, withdrawalNonce: nonce, withdrawer, withdrawerChainId: ownerChainId, ...rest } =
        made
      const signature = owner.sign(initiationHash({ ...rest, amount, nonce, owner: withdrawer, ownerChainId }))
      const { execution } = yield* initiation(made, signature)
      assert.deepStrictEqual(execution.signatures.map(({ domain }) => domain), [there.domain])
      yield* initiated(made)
      assert.deepStrictEqual(asked, ["balance on there", "balance on there"])
      for (const settlementChainId of ["nowhere", "here"]) {
        const refused = yield* Effect.flip(initiation({ ...made, settlementChainId }, signature))
        assert.include(["unknown-chain", "wrong-signature"], refused._tag === "Refusal" ? refused.reason : refused._tag)
      }
      assert.lengthOf(asked, 2)
    }))
})
