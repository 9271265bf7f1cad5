/** What the solver signs on exchange B, against what the unmodified public SDK sends. */
import { assert, describe, it } from "@effect/vitest"
import { SignerClient } from "@reservoir0x/lighter-ts-sdk"
import { Effect, Redacted, Result } from "effect"
import * as fc from "fast-check"
import { privateKeyToAccount } from "viem/accounts"
import { ExchangeB } from "../../../../hosts/localnet/nodes/exchange-b/ExchangeB.ts"
import { readTransfer } from "../../../../hosts/localnet/nodes/exchange-b/node/Transfers.ts"
import { Signatures } from "../../../../ports/signing/Signatures.ts"
import { inputs } from "../../../../scripts/testing/Tally.ts"
import { Hex32, hexFromBytes } from "../../../../src/domain/encoding/Hex.ts"
import type { ExchangeBWithdrawal } from "../../../../src/domain/families/exchange-b/ExchangeBWithdrawal.ts"
import { makeSignatures } from "../../../signing/LocalSignatures.ts"
import { localSecp256k1 } from "../../../signing/LocalSigner.ts"
import { transferIn } from "../../decode/NodeAnswers.ts"
import { signTransfer } from "../SignTransfer.ts"
import { layer as layerAccount, SolverAccount } from "../SolverAccount.ts"
import { localRollupSigner } from "./LocalRollupSigner.ts"

const [SOLVER, OTHER] = [1_002, 2_001]
const L1_KEY = Hex32.make(`0x${"5e".repeat(32)}`)
const API_KEY = `0x${"12".repeat(40)}`
const memo = Hex32.make(`0x${"1d".repeat(32)}`)

const transfer: ExchangeBWithdrawal = {
  nonce: 0n,
  fromAccountIndex: BigInt(SOLVER),
  fromRouteType: 0n,
  apiKeyIndex: 4n,
  toAccountIndex: BigInt(OTHER),
  toRouteType: 0n,
  assetIndex: 3n,
  amount: 1_123_456n,
  usdcFee: 0n,
  lighterChainId: 304n,
  memo
}

const rollup = localRollupSigner({
  account: SOLVER,
  lighterChainId: 304,
  apiKeys: [{ index: 4, privateKey: Redacted.make(API_KEY) }, { index: 5, privateKey: Redacted.make(API_KEY) }]
})

/** Signs both ways, as payments are. */
const sign = Effect.fnUntraced(function*(of: ExchangeBWithdrawal, expiredAt: number) {
  const key = yield* Effect.provideService(
    localSecp256k1(Redacted.make(L1_KEY)),
    Signatures,
    makeSignatures(undefined)
  )
  const solver = yield* Effect.provide(SolverAccount, layerAccount(BigInt(SOLVER), key, yield* rollup))
  return yield* signTransfer(solver, of, expiredAt)
})

describe("a transfer that the solver signs on exchange B", () => {
  it.live("has the text's signature and the hash that the public SDK's own has, and the exchange takes it", () =>
    Effect.gen(function*() {
      const exchange = yield* ExchangeB.start()
      exchange.open(SOLVER, privateKeyToAccount(L1_KEY).address)
      exchange.open(OTHER, privateKeyToAccount(`0x${"b2".repeat(32)}`).address)
      exchange.credit(SOLVER, 3, 0, 1_000_000)
      const hash = yield* Effect.promise(async () => {
        const [url = ""] = exchange.urls
        const sdk = new SignerClient({ url, privateKey: API_KEY, accountIndex: SOLVER, apiKeyIndex: 4 })
        await sdk.initialize()
        await sdk.ensureWasmClient()
        const [, sent] = await sdk.transfer({
          toAccountIndex: OTHER,
          assetIndex: 3,
          fromRouteType: 0,
          toRouteType: 0,
          amount: 1_123_456,
          usdcFee: 0,
          memo,
          ethSigner: L1_KEY
        })
        return sent
      })
      const [sent] = exchange.sent()
      const theirs = readTransfer(sent?.text ?? "")
      const ours = yield* sign(transfer, theirs.ExpiredAt)
      assert.strictEqual(ours.transactionId, hash)
      const { L1Sig, ...fields } = readTransfer(ours.raw)
      assert.deepStrictEqual({ ...fields, L1Sig }, theirs)
    }))

  it.live("has a hash of everything but the memo and the signatures", () =>
    Effect.gen(function*() {
      const { sign: signOnRollup } = yield* rollup
      const at = 1_800_000_000_000
      const hashOf = (changes: Partial<ExchangeBWithdrawal>, expiredAt = at) =>
        Effect.map(signOnRollup({ ...transfer, ...changes }, expiredAt), ({ hash }) => hash)
      const own = yield* hashOf({})
      assert.strictEqual(yield* hashOf({}), own)
      assert.strictEqual(yield* hashOf({ memo: Hex32.make(`0x${"2e".repeat(32)}`) }), own)
      const others = yield* Effect.all([
        hashOf({ nonce: 1n }),
        hashOf({ apiKeyIndex: 5n }),
        hashOf({ toAccountIndex: 2_002n }),
        hashOf({ toRouteType: 1n }),
        hashOf({ fromRouteType: 1n }),
        hashOf({ assetIndex: 1n }),
        hashOf({ amount: 1n }),
        hashOf({ usdcFee: 1n }),
        hashOf({}, at + 1)
      ])
      assert.strictEqual(new Set([own, ...others]).size, 10)
    }))

  it.live("is what was asked for, whatever that is, or nothing is signed", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(
          fc.record({
            nonce: fc.bigInt({ min: 0n, max: 1n << 47n }),
            toAccountIndex: fc.bigInt({ min: 1n, max: 1n << 49n }),
            fromRouteType: fc.bigInt({ min: 0n, max: 1n }),
            toRouteType: fc.bigInt({ min: 0n, max: 1n }),
            assetIndex: fc.bigInt({ min: 1n, max: 70n }),
            amount: fc.oneof(fc.bigInt({ min: 0n, max: 1n << 40n }), fc.bigInt({ min: 1n << 52n, max: 1n << 54n })),
            usdcFee: fc.bigInt({ min: 0n, max: 1n << 30n }),
            memo: fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Hex32.make(hexFromBytes(bytes)))
          }),
          fc.integer({ min: 1_700_000_000_000, max: 1_900_000_000_000 }),
          async (changes, expiredAt) => {
            const asked = { ...transfer, ...changes }
            const made = await Effect.runPromise(Effect.result(sign(asked, expiredAt)))
            if (Result.isFailure(made)) return assert.strictEqual(made.failure.fault, "unsuitable-key")
            const shown = transferIn(made.success.raw)
            assert.strictEqual(shown?.expiredAt, expiredAt)
            assert.deepStrictEqual({ ...shown?.transfer, lighterChainId: asked.lighterChainId }, asked)
          }
        ),
        { numRuns: inputs(100, 5_000) }
      )
    ))

  it.live("is not signed for another account, network or API key than its own", () =>
    Effect.gen(function*() {
      for (const changes of [{ fromAccountIndex: 7n }, { lighterChainId: 300n }, { apiKeyIndex: 9n }]) {
        const refused = yield* Effect.flip(sign({ ...transfer, ...changes }, 1_800_000_000_000))
        assert.strictEqual(refused.fault, "unsuitable-key")
      }
    }))
})
