import { families } from "../../../src/domain/families/index.ts"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Result } from "effect"
import { Treasury } from "../../../ports/chain/Treasury.ts"
import type { FillPayment, Payment } from "../../../ports/chain/PaymentKinds.ts"
import type { SignedPayment } from "../../../ports/chain/Treasury.ts"
import { Address } from "../../../src/domain/chain/Address.ts"
import { Hex, Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { parseTransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { solana as configured, solanaPayer, solanaUser } from "../../../src/domain/quote/testing/Chains.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { JupiterServer } from "../quote/jupiter/JupiterApi.ts"
import * as SolverAccount from "./SolverAccount.ts"
import { fakeRpc, inContext, Refusal, rentAt, shown } from "./testing/FakeClient.ts"
import type { Answers } from "./testing/FakeClient.ts"
import { newKey, signerOfKey } from "./testing/PaymentFixture.ts"
import * as SolanaTreasury from "./Treasury.ts"

/** What an account must hold at the price that the scripted node names. */
const LEAST_BALANCE = rentAt(0)
const SYSTEM = "11111111111111111111111111111111"
const RICH = shown(SYSTEM, new Uint8Array(), { lamports: 5_000_000_000 })
const chain = { ...configured, genesisHash: solanaUser }
const key = newKey()

const healthy: Answers = {
  getMultipleAccounts: ([addresses]) => inContext((addresses as ReadonlyArray<string>).map(() => RICH)),
  getRecentPrioritizationFees: () => [],
  getLatestBlockhash: () => inContext({ blockhash: solanaPayer, lastValidBlockHeight: 500 }),
  simulateTransaction: () => inContext({ err: null, logs: [], accounts: null, unitsConsumed: 1, returnData: null }),
  getBalance: () => inContext(5_000_000_000)
}

const over = (answers: Answers) =>
  Effect.map(
    Layer.build(
      SolanaTreasury.layer.pipe(
        Layer.provide(fakeRpc({ ...healthy, ...answers })),
        Layer.provide(SolverAccount.layer(signerOfKey(key))),
        Layer.provide(Layer.succeed(JupiterServer, { url: undefined, apiKey: undefined }))
      )
    ),
    (services) => Context.get(services, Treasury)
  )

const plain: FillPayment = {
  _tag: "Fill",
  chain,
  currency: chain.native,
  recipient: solanaUser,
  amount: 1_000_000n,
  orderId: OrderId.make(`0x${"01".repeat(32)}`),
  topup: 0n,
  authorizations: [],
  calls: undefined
}

const refusalOf = Effect.fnUntraced(function*(payment: Payment, answers: Answers = {}) {
  const prepared = yield* Effect.result((yield* over(answers)).prepare(payment))
  if (Result.isSuccess(prepared)) return "prepared"
  const failed = prepared.failure
  switch (failed._tag) {
    case "PaymentRefused":
      return failed.reason
    case "ChainUnavailable":
      return failed.kind
    case "SignerUnavailable":
      return failed.fault
  }
}, (asked) => Effect.scoped(asked))

const signedPayment = Effect.fnUntraced(function*() {
  const treasury = yield* over({})
  return yield* (yield* treasury.prepare(plain)).sign(1n, [])
}, (asked) => Effect.scoped(asked))

describe("the Solana treasury, from a node's answers", () => {
  it.effect("makes plain payments only, and never leaves out another kind of part", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* refusalOf(plain), "prepared")
      const word = `0x${"02".repeat(32)}` as const
      const authorization = {
        chainId: 1,
        address: Address.make(solanaUser),
        nonce: 0,
        yParity: 0,
        r: Hex32.make(word),
        s: Hex32.make(word)
      } as const
      const permitted = {
        owner: plain.recipient,
        token: plain.recipient,
        amount: 1n,
        orderId: plain.orderId,
        deadline: 0
      }
      const odd: ReadonlyArray<Payment> = [
        {
          ...plain,
          calls: {
            list: [{ to: plain.recipient, value: 0n, data: Hex.make("0x") }],
            gas: undefined,
            leftover: undefined
          }
        },
        { ...plain, authorizations: [authorization] },
        { ...plain, topup: 1n },
        // There is no server of routes.
        { ...plain, swap: { currency: { ...plain.currency, isNative: false }, least: 1n, mostHops: undefined } },
        {
          ...plain,
          _tag: "Permit",
          amount: 0n,
          permit: {
            ...permitted,
            kind: "permit2",
            forwarder: plain.recipient,
            signature: Hex.make("0x"),
            gasOverhead: 0n
          }
        },
        { ...plain, _tag: "Submission", amount: 0n, submission: { gate: plain.recipient, calls: [], together: false } }
      ]
      for (const payment of odd) assert.strictEqual(yield* refusalOf(payment), "reverts", payment._tag)
      for (const _tag of ["Refund", "Excess", "Payout", "Fallback"] as const) {
        assert.strictEqual(yield* refusalOf({ ...plain, _tag }), "prepared")
      }
    }))

  it.effect("leaves no account below the minimum balance, neither its own nor a recipient's", () =>
    Effect.gen(function*() {
      const accounts = (paying: number, receiving: number): Answers => ({
        getMultipleAccounts: () =>
          inContext(
            [paying, receiving].map((lamports) => lamports === 0 ? null : shown(SYSTEM, new Uint8Array(), { lamports }))
          )
      })
      const fee = 5_000
      const amount = Number(plain.amount)
      assert.strictEqual(yield* refusalOf(plain, accounts(amount + fee + Number(LEAST_BALANCE), 1)), "prepared")
      assert.strictEqual(
        yield* refusalOf(plain, accounts(amount + fee + Number(LEAST_BALANCE) - 1, 1)),
        "insufficient-funds"
      )
      const small = { ...plain, amount: 10n }
      assert.strictEqual(yield* refusalOf(small, accounts(2_000_000, Number(LEAST_BALANCE) - 11)), "reverts")
      assert.strictEqual(yield* refusalOf(small, accounts(2_000_000, Number(LEAST_BALANCE) - 10)), "prepared")
    }))

  it.effect("signs nothing that a node's simulation refuses", () =>
    Effect.gen(function*() {
      const refused = inContext({
        err: { InstructionError: [1, { Custom: 6 }] },
        logs: [],
        accounts: null,
        unitsConsumed: 1,
        returnData: null
      })
      assert.strictEqual(yield* refusalOf(plain, { simulateTransaction: () => refused }), "reverts")
    }))

  it.effect("counts only spendable money as inventory", () =>
    Effect.scoped(Effect.gen(function*() {
      for (
        const [held, spendable] of [[0, 0n], [890_880, 0n], [890_881, 1n], [
          5_000_000_000,
          5_000_000_000n - LEAST_BALANCE
        ]] as const
      ) {
        assert.deepStrictEqual(
          yield* (yield* over({ getBalance: () => inContext(held) })).inventory(chain, chain.native, "account"),
          [spendable]
        )
      }
    })))

  it.effect("treats a payment as unfunded only when it lacks money, and as sent when the node has it already", () =>
    Effect.scoped(Effect.gen(function*() {
      const signed = yield* signedPayment()
      const answerTo = Effect.fnUntraced(function*(err: unknown, code: number = -32_002) {
        const data = { err, logs: [], accounts: null, unitsConsumed: 0, returnData: null }
        const told = yield* Effect.result((yield* over({
          sendTransaction: () => {
            throw new Refusal(code, data)
          }
        })).broadcast(chain, signed))
        return Result.isSuccess(told) ? told.success : told.failure.kind
      })
      for (
        const poor of [
          "InsufficientFundsForFee",
          "AccountNotFound",
          { InsufficientFundsForRent: { account_index: 0 } },
          { InstructionError: [2, { Custom: 1 }] },
          { InstructionError: [2, "InsufficientFunds"] }
        ]
      ) {
        assert.strictEqual(yield* answerTo(poor), "unfunded", JSON.stringify(poor))
      }
      for (
        const other of ["BlockhashNotFound", "AlreadyProcessed", "AccountInUse", {
          InstructionError: [2, { Custom: 2 }]
        }]
      ) assert.strictEqual(yield* answerTo(other), "accepted", JSON.stringify(other))
      assert.strictEqual(yield* answerTo(null, -32_005), "refused")
    })))

  it.effect("finds a payment under any of its variants, pending while a block may be dropped, and expired only with proof", () =>
    Effect.scoped(Effect.gen(function*() {
      const signed = yield* signedPayment()
      const elsewhere: SignedPayment = {
        ...signed,
        transactionId: Result.getOrThrow(parseTransactionId(families["solana-vm"], "1".repeat(64)))
      }
      const status = (confirmationStatus: string) => ({
        slot: 90,
        confirmations: 1,
        err: null,
        confirmationStatus,
        status: { Ok: null }
      })
      const landed: Answers = {
        getTransaction: () => ({
          slot: 90,
          blockTime: 5,
          transaction: ["", "base64"],
          meta: { err: null, fee: 5_000 }
        }),
        getBlock: () => ({
          blockhash: solanaPayer,
          blockTime: 5,
          blockHeight: 90,
          parentSlot: 89,
          previousBlockhash: solanaPayer
        }),
        getBlockHeight: () => 400,
        isBlockhashValid: () => inContext(false),
        getSlot: () => 100,
        getFirstAvailableBlock: () => 0,
        getGenesisHash: () => solanaUser
      }
      const outcomeOf = Effect.fnUntraced(function*(statuses: ReadonlyArray<unknown>, answers: Answers = {}) {
        const queue = [...statuses]
        const treasury = yield* over({
          ...landed,
          getSignatureStatuses: ([asked]) =>
            inContext((asked as ReadonlyArray<string>).map(() => queue.length > 1 ? queue.shift() : queue[0])),
          ...answers
        })
        const told = yield* Effect.result(treasury.outcome(chain, [elsewhere, signed], "endpoint"))
        return Result.isSuccess(told) ? told.success._tag : told.failure.kind
      })
      assert.strictEqual(yield* outcomeOf([null, status("confirmed")]), "Included")
      assert.strictEqual(yield* outcomeOf([status("processed"), status("finalized")]), "Included")
      assert.strictEqual(yield* outcomeOf([null, status("processed")]), "Pending")
      assert.strictEqual(yield* outcomeOf([null]), "Unseen")
      assert.strictEqual(yield* outcomeOf([null], { getBlockHeight: () => 500 }), "Unseen")
      assert.strictEqual(yield* outcomeOf([null], { getBlockHeight: () => 501 }), "Expired")
      assert.strictEqual(
        yield* outcomeOf([null], { getBlockHeight: () => 501, getFirstAvailableBlock: () => 101 }),
        "behind"
      )
      assert.strictEqual(
        yield* outcomeOf([null], { getBlockHeight: () => 501, getGenesisHash: () => solanaPayer }),
        "behind"
      )
      assert.strictEqual(yield* outcomeOf([null], { getBlockHeight: () => 501, getSlot: () => 101 }), "behind")
      // A node that says nothing about one signature: it was asked about each alone first, then about both.
      const short: Answers = {
        getBlockHeight: () => 501,
        getSignatureStatuses: ([asked]) => inContext((asked as ReadonlyArray<string>).length === 1 ? [null] : [])
      }
      assert.strictEqual(yield* outcomeOf([null], short), "behind")
      assert.strictEqual(yield* outcomeOf([null, status("confirmed")], { getTransaction: () => null }), "behind")
      assert.strictEqual(
        yield* outcomeOf([null, status("confirmed")], {
          getTransaction: () => ({ slot: 91, blockTime: 5, transaction: ["", "base64"], meta: { err: null, fee: 1 } })
        }),
        "behind"
      )
      assert.strictEqual(yield* outcomeOf([null, status("confirmed")], { getBlock: () => null }), "behind")
    })))
})
