import { families } from "../../../src/domain/families/index.ts"
import { assert, describe, it } from "@effect/vitest"
import {
  AccountRole,
  address,
  appendTransactionMessageInstructions,
  blockhash,
  compileTransaction,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  getTransactionDecoder,
  getCompiledTransactionMessageDecoder,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  signatureBytes
} from "@solana/kit"
import type { Address, Instruction } from "@solana/kit"
import { getAddMemoInstruction } from "@solana-program/memo"
import { Context, Effect, Layer, Result } from "effect"
import * as fc from "fast-check"
import { withAnotherLeaf } from "../../../property-tests/EvidenceDamage.ts"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { SentTransactions } from "../../../ports/chain/SentTransactions.ts"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import { parseTransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { solana as configured, solanaPayer, solanaUser } from "../../../src/domain/quote/testing/Chains.ts"
import * as SolanaSent from "./SentTransactions.ts"
import * as SolverAccount from "../pay/SolverAccount.ts"
import { fakeRpc } from "../pay/testing/FakeClient.ts"
import type { Answers } from "../pay/testing/FakeClient.ts"
import { addressOfKey, newKey, signerOfKey } from "../pay/testing/PaymentFixture.ts"
import * as SolanaWatcher from "./Watcher.ts"

const SYSTEM = address("11111111111111111111111111111111")
const TOKEN = address("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA")
const key = newKey()
const solver = addressOfKey(key)
const other = address(solanaUser)
const mint = address("SysvarC1ock11111111111111111111111111111111")
const [source, destination] = [
  address("SysvarRent111111111111111111111111111111111"),
  address("SysvarS1otHashes111111111111111111111111111")
]
const chain = { ...configured, genesisHash: solanaUser }
const ORDER = `0x${"05".repeat(32)}`

const u64 = (value: bigint): ReadonlyArray<number> => [...new Uint8Array(new BigUint64Array([value]).buffer)]
const lamports = (
  { data = [2, 0, 0, 0, ...u64(77n)], from = solver }: {
    readonly from?: Address
    readonly data?: ReadonlyArray<number>
  } = {}
): Instruction => ({
  programAddress: SYSTEM,
  data: Uint8Array.from(data),
  accounts: [{ address: from, role: AccountRole.WRITABLE_SIGNER }, { address: other, role: AccountRole.WRITABLE }]
})
const tokens = (
  { data = [12, ...u64(88n), 6], owner = solver, of = mint }: {
    readonly owner?: Address
    readonly of?: Address
    readonly data?: ReadonlyArray<number>
  } = {}
): Instruction => ({
  programAddress: TOKEN,
  data: Uint8Array.from(data),
  accounts: [
    { address: source, role: AccountRole.WRITABLE },
    { address: of, role: AccountRole.READONLY },
    { address: destination, role: AccountRole.WRITABLE },
    { address: owner, role: AccountRole.READONLY_SIGNER }
  ]
})
const memo = (text = ORDER) => getAddMemoInstruction({ memo: text })

/** A transaction as a node shows it. The first instruction made the instructions in `inner`. */
const shownOf = (instructions: ReadonlyArray<Instruction>, changes: object = {}) => {
  const compiled = pipe(
    createTransactionMessage({ version: 0 }),
    (message) => setTransactionMessageFeePayer(solver, message),
    (message) =>
      setTransactionMessageLifetimeUsingBlockhash(
        { blockhash: blockhash(solanaPayer), lastValidBlockHeight: 1n },
        message
      ),
    (message) => appendTransactionMessageInstructions([...instructions], message),
    compileTransaction
  )
  const signatures = Object.fromEntries(
    Object.keys(compiled.signatures).map((each) => [each, signatureBytes(new Uint8Array(64).fill(3))])
  )
  const signed = { ...compiled, signatures }
  const keys = getCompiledTransactionMessageDecoder().decode(
    getTransactionDecoder().decode(new Uint8Array(Buffer.from(getBase64EncodedWireTransaction(signed), "base64")))
      .messageBytes
  ).staticAccounts
  const balances = keys.map(() => 10)
  const accountIndex = keys.indexOf(destination)
  const held = accountIndex < 0 ? [] : [{ accountIndex, mint, owner: other, uiTokenAmount: { amount: "88" } }]
  return {
    signature: getSignatureFromTransaction(signed),
    shown: {
      slot: 90,
      blockTime: 5,
      transaction: [getBase64EncodedWireTransaction(signed), "base64"],
      meta: {
        err: null,
        fee: 5_000,
        innerInstructions: [],
        preBalances: balances,
        postBalances: balances,
        preTokenBalances: [],
        postTokenBalances: held,
        loadedAddresses: { writable: [], readonly: [] },
        ...changes
      }
    }
  }
}

const block = () => ({
  blockhash: solanaPayer,
  blockTime: 5,
  blockHeight: 90,
  parentSlot: 89,
  previousBlockhash: solanaPayer
})

const over = (answers: Answers) =>
  Effect.map(
    Layer.build(
      SolanaSent.layer.pipe(
        Layer.provide(fakeRpc({ getBlock: block, ...answers })),
        Layer.provide(SolverAccount.layer(signerOfKey(key)))
      )
    ),
    (services) => Context.get(services, SentTransactions)
  )

const find = Effect.fnUntraced(function*(answer: unknown, signature: string) {
  const sent = yield* over({ getTransaction: () => answer })
  return yield* Effect.result(sent.find(chain, Result.getOrThrow(parseTransactionId(families["solana-vm"], signature))))
}, (found) => Effect.scoped(found))

const paymentOf = Effect.fnUntraced(function*(instructions: ReadonlyArray<Instruction>, changes: object = {}) {
  const { shown, signature } = shownOf(instructions, changes)
  return Result.getOrThrow(yield* find(shown, signature))?.payment
})

describe("what the solver's account has sent", () => {
  it.effect("are payments when they have this service's form: one memo and one transfer of the account, at the top level", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(
        yield* paymentOf([memo(), lamports()]),
        { orderId: ORDER, recipient: other, currency: chain.native.address, amount: 77n } as never
      )
      assert.deepStrictEqual(
        yield* paymentOf([memo(), tokens()]),
        { orderId: ORDER, recipient: other, currency: mint, amount: 88n } as never
      )
      const none: Record<string, ReadonlyArray<Instruction>> = {
        "no memo": [lamports()],
        "no transfer": [memo()],
        "two orders": [memo(), memo(`0x${"06".repeat(32)}`), lamports()],
        "two transfers": [memo(), lamports(), tokens()],
        "another instruction of System": [memo(), lamports({ data: [3, 0, 0, 0, ...u64(77n)] })],
        "a longer one": [memo(), lamports({ data: [2, 0, 0, 0, ...u64(77n), 0] })],
        "somebody else's lamports": [memo(), lamports({ from: other })],
        "another instruction of the token program": [memo(), tokens({ data: [15, ...u64(88n), 6] })],
        "one without decimals": [memo(), tokens({ data: [12, ...u64(88n)] })],
        "somebody else's tokens": [memo(), tokens({ owner: other })],
        "another mint than was received": [
          memo(),
          tokens({ of: address("SysvarStakeHistory1111111111111111111111111") })
        ]
      }
      for (const [name, instructions] of Object.entries(none)) assert.isUndefined(yield* paymentOf(instructions), name)
      // What a program has made is not a payment by this account.
      const carrier: Instruction = { ...lamports(), programAddress: TOKEN, data: new Uint8Array(1) }
      const { shown, signature } = shownOf([carrier, memo(), { ...lamports(), data: new Uint8Array(2) }])
      const made = { index: 0, instructions: [{ programIdIndex: 0, accounts: [0, 1], data: "", stackHeight: 2 }] }
      assert.isUndefined(
        Result.getOrThrow(yield* find({ ...shown, meta: { ...shown.meta, innerInstructions: [made] } }, signature))
          ?.payment
      )
    }))

  it.effect("are reported with their outcome, and with a lifetime that does not end too soon", () =>
    Effect.gen(function*() {
      const { shown, signature } = shownOf([memo(), lamports()])
      const found = Result.getOrThrow(yield* find(shown, signature))
      assert.deepInclude(found, { succeeded: true, gasPaid: 5_000n, movesNothing: false, sequence: undefined })
      assert.strictEqual(found?.raw, `${shown.transaction[0]}.241.0`)
      const failed = shownOf([memo(), lamports()], { err: "AccountInUse" })
      assert.deepInclude(Result.getOrThrow(yield* find(failed.shown, failed.signature)), { succeeded: false })
      assert.isUndefined(Result.getOrThrow(yield* find(null, signature)))
      const swapped = shownOf([memo(), lamports({ data: [2, 0, 0, 0, ...u64(1n)] })])
      const mixed = yield* find({ ...swapped.shown, transaction: [shown.transaction[0], "base64"] }, "1".repeat(64))
      assert.isTrue(Result.isFailure(mixed) && mixed.failure.kind === "behind")
      const blind = yield* find({ ...shown, meta: null }, signature)
      assert.isTrue(Result.isFailure(blind) && blind.failure.kind === "behind")
    }))

  it.effect("are listed between two slots, both included, by a node whose history goes back that far", () =>
    Effect.scoped(Effect.gen(function*() {
      const all = [92, 91, 90, 89, 88].map((slot, index) => {
        const { shown, signature } = shownOf([memo(`0x${`0${index + 1}`.repeat(32)}`), lamports()])
        return { slot, signature: `${signature.slice(0, -1)}${index + 1}`, shown: { ...shown, slot } }
      })
      const seen: Array<string> = []
      const listing = (first: number): Answers => ({
        getFirstAvailableBlock: () => first,
        getSignaturesForAddress: () =>
          all.map(({ signature, slot }) => ({
            signature,
            slot,
            err: null,
            memo: null,
            blockTime: 5,
            confirmationStatus: "finalized"
          })),
        getTransaction: ([asked]) => {
          seen.push(String(asked))
          return null
        }
      })
      // Which transactions are read: none exists, so the first one ends the reading.
      const kindOf = Effect.fnUntraced(function*(first: number, from: bigint, to: bigint) {
        seen.length = 0
        const told = yield* Effect.result((yield* over(listing(first))).between(chain, from, to, "endpoint"))
        return Result.isSuccess(told) ? told.success.length : told.failure.kind
      })
      assert.strictEqual(yield* kindOf(0, 93n, 99n), 0)
      assert.strictEqual(yield* kindOf(0, 1n, 87n), 0)
      assert.deepStrictEqual(seen, [])
      for (const [from, to, index] of [[92n, 92n, 0], [88n, 88n, 4], [89n, 90n, 2]] as const) {
        assert.strictEqual(yield* kindOf(0, from, to), "behind")
        assert.deepStrictEqual(seen, [all[index]?.signature])
      }
      assert.strictEqual(yield* kindOf(94, 93n, 99n), "behind")
      assert.strictEqual(yield* kindOf(93, 93n, 99n), 0)
      assert.deepStrictEqual(seen, [])
    })))
})

describe("with any one leaf of a node's answer changed", () => {
  const { shown, signature } = shownOf([memo(), lamports(), tokens()])
  const id = Result.getOrThrow(parseTransactionId(families["solana-vm"], signature))

  it.live("reading sent transactions or deposits ends with an answer or a fault, never with a defect", () =>
    Effect.scoped(Effect.gen(function*() {
      let answer: unknown = shown
      let below: unknown = block()
      const rpc = fakeRpc({
        getTransaction: () => answer,
        getBlock: () => below,
        getSlot: () => 95,
        getBlocksWithLimit: () => [91]
      })
      const services = yield* Layer.build(
        Layer.merge(SolanaSent.layer.pipe(Layer.provide(SolverAccount.layer(signerOfKey(key)))), SolanaWatcher.layer)
          .pipe(Layer.provide(rpc))
      )
      const [sent, watcher] = [Context.get(services, SentTransactions), Context.get(services, DepositWatcher)]
      const damaged = fc.sample(fc.tuple(fc.nat(), fc.nat(59), fc.boolean()), inputs(400, 20_000))
      for (const [leaf, how, ofBlock] of damaged) {
        answer = ofBlock ? shown : withAnotherLeaf(shown, leaf, how)
        below = ofBlock ? withAnotherLeaf(block(), leaf, how) : block()
        const found = yield* Effect.result(sent.find(chain, id))
        if (Result.isSuccess(found) && found.success !== undefined) assert.strictEqual(found.success.transactionId, id)
        const looked = yield* Effect.result(watcher.look(chain, id))
        if (Result.isSuccess(looked)) {
          assert.isTrue((looked.success ?? []).every(({ transactionId }) => transactionId === id))
        }
        yield* Effect.result(watcher.finality(chain, { height: 90n, hash: "" }))
      }
    })))
})
