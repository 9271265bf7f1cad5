import { addressCodec } from "../../../src/domain/families/index.ts"
import { assert, describe, it } from "@effect/vitest"
import {
  AccountRole,
  address,
  appendTransactionMessageInstructions,
  blockhash,
  compileTransaction,
  compressTransactionMessageUsingAddressLookupTables,
  createTransactionMessage,
  getAddressDecoder,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  signatureBytes
} from "@solana/kit"
import type { Address, Instruction } from "@solana/kit"
import { base64 } from "@scure/base"
import { Result, Schema } from "effect"
import * as fc from "fast-check"
import { withAnotherLeaf } from "../../../property-tests/EvidenceDamage.ts"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { depositsOf } from "../../../src/domain/families/solana/evidence/Deposits.ts"
import { withdrawalsOf } from "../../../src/domain/families/solana/evidence/ExecutedWithdrawals.ts"
import { orderIdsOf, paymentsOf } from "../../../src/domain/families/solana/evidence/Payments.ts"
import { vaultOf } from "../../../src/domain/families/solana/evidence/Programs.ts"
import { isUsed } from "../../../src/domain/families/solana/evidence/UsedRequest.ts"
import { parseExactJson } from "../../quorum/rpc/ExactJson.ts"
import { RawTransaction } from "./NodeAnswers.ts"
import { base58Text } from "./testing/Base58Text.ts"
import { decodeTransaction } from "./WireTransaction.ts"

const named = (number: number): Address => getAddressDecoder().decode(new Uint8Array(32).fill(number))
const program = named(80)
const vault = address(vaultOf(program) ?? assert.fail("no vault"))
const known = (text: string) => Result.getOrThrow(addressCodec("solana-vm").parse(text))
const depository = { program: known(program), vault: known(vault) }
const payer = named(1)

const deposit = (amount: number): Uint8Array =>
  Uint8Array.of(13, 158, 13, 223, 95, 213, 28, 6, amount, 0, 0, 0, 0, 0, 0, 0, ...new Uint8Array(32).fill(5))
const accounts = [named(81), payer, payer, vault, address("11111111111111111111111111111111")]

/**
 * A node's answer for it: the vault has gained `gained`, and the first instruction has made the instructions in
 * `inner`.
 */
const answerOf = (instructions: ReadonlyArray<Instruction>, { gained, inner = [], tables = {}, version = 0 }: {
  readonly gained: bigint
  readonly inner?: ReadonlyArray<
    { readonly program: Address; readonly accounts: ReadonlyArray<Address>; readonly data: Uint8Array }
  >
  readonly tables?: Record<Address, Array<Address>>
  readonly version?: 0 | 1
}) => {
  const lifetime = { blockhash: blockhash(named(9)), lastValidBlockHeight: 1n }
  const compiled = version === 1
    ? pipe(
      createTransactionMessage({ version: 1 }),
      (message) => setTransactionMessageFeePayer(payer, message),
      (message) => setTransactionMessageLifetimeUsingBlockhash(lifetime, message),
      (message) => appendTransactionMessageInstructions([...instructions], message),
      compileTransaction
    )
    : pipe(
      createTransactionMessage({ version: 0 }),
      (message) => setTransactionMessageFeePayer(payer, message),
      (message) => setTransactionMessageLifetimeUsingBlockhash(lifetime, message),
      (message) => appendTransactionMessageInstructions([...instructions], message),
      (message) => compressTransactionMessageUsingAddressLookupTables(message, tables),
      compileTransaction
    )
  const signed = { ...compiled, signatures: { [payer]: signatureBytes(new Uint8Array(64).fill(3)) } }
  const looked = Object.values(tables).flat()
  const used = instructions.flatMap((instruction) =>
    (instruction.accounts ?? []).map(({ address: key, role }) => ({ key, role }))
  )
  const loaded = (
    writable: boolean
  ) => [
    ...new Set(
      looked.filter((key) => used.some((each) => each.key === key && (each.role === AccountRole.WRITABLE) === writable))
    )
  ]
  const statics = staticKeys(compiled.messageBytes)
  const keys = [...statics, ...loaded(true), ...loaded(false)]
  const at = (key: Address) => keys.indexOf(key)
  return {
    id: getSignatureFromTransaction(signed),
    answer: {
      slot: 7,
      blockTime: 1_700_000_000,
      transaction: [getBase64EncodedWireTransaction(signed), "base64"],
      meta: {
        err: null,
        innerInstructions: inner.length === 0 ? [] : [{
          index: 0,
          instructions: inner.map((each) => ({
            programIdIndex: at(each.program),
            accounts: each.accounts.map(at),
            data: base58Text(each.data),
            stackHeight: 2
          }))
        }],
        preBalances: keys.map(() => 10),
        postBalances: keys.map((key) => key === vault ? 10n + gained : 10),
        preTokenBalances: [],
        postTokenBalances: [{
          accountIndex: 0,
          mint: named(4),
          owner: named(6),
          uiTokenAmount: { amount: "18446744073709551615" }
        }],
        loadedAddresses: { writable: loaded(true), readonly: loaded(false) }
      }
    }
  }
}

/**
 * Static keys of a message, which begins with its version. In version 0 the three bytes of the header and the number of
 * keys come before them; in version 1 also the mask, the blockhash and the number of instructions.
 */
const staticKeys = (message: ArrayLike<number>): ReadonlyArray<Address> => {
  const bytes = Uint8Array.from(message)
  const first = bytes[0] === 0x81 ? 42 : 5
  return Array.from(
    { length: bytes[first - 1] ?? 0 },
    (_, index) => getAddressDecoder().decode(bytes.subarray(first + index * 32, first + 32 + index * 32))
  )
}

const decode = Schema.decodeUnknownExit(RawTransaction)
/** The evidence in an answer, or why there is none. A throw fails the test. */
const read = (answer: unknown) => {
  const raw = decode(answer)
  if (raw._tag === "Failure") return undefined
  const decoded = decodeTransaction(raw.value, depository.program)
  if (Result.isFailure(decoded)) return undefined
  const { id, transaction } = decoded.success
  return {
    id,
    deposits: depositsOf(transaction, depository),
    payments: paymentsOf(transaction, depository),
    orderIds: orderIdsOf(transaction),
    withdrawals: withdrawalsOf(transaction, depository.program)
  }
}

const role = AccountRole.READONLY
const called = (data: Uint8Array, writable: Address = vault): Instruction => ({
  programAddress: program,
  accounts: accounts.map((key) => ({ address: key, role: key === writable ? AccountRole.WRITABLE : role })),
  data
})
const router: Instruction = {
  programAddress: named(70),
  accounts: [...accounts, program].map((key) => ({ address: key, role: key === vault ? AccountRole.WRITABLE : role })),
  data: new Uint8Array(1)
}

describe("transactions of the wire", () => {
  it("show only deposits that a program has made, at their place behind it", () => {
    const { answer } = answerOf([router, called(deposit(20))], {
      gained: 30n,
      inner: [{ program, accounts, data: deposit(10) }]
    })
    assert.deepStrictEqual(read(answer)?.deposits.map(({ amount, index }) => [index, amount]), [[1, 10n], [2, 20n]])
    const { answer: only } = answerOf([router], { gained: 30n, inner: [{ program, accounts, data: deposit(10) }] })
    assert.deepStrictEqual(read(only)?.deposits.map(({ amount, index }) => [index, amount]), [[1, 10n]])
  })

  it("are read in version 1 as in version 0, which may be larger (SOLANA-23)", () => {
    const made = [{ program, accounts, data: deposit(10) }]
    const instructions = [router, called(deposit(20)), called(new Uint8Array(3_000))]
    const { answer, id } = answerOf(instructions, { gained: 30n, inner: made, version: 1 })
    const found = read(answer)
    assert.deepStrictEqual([found?.id, found?.deposits.map(({ amount, index }) => [index, amount])], [id, [[1, 10n], [
      2,
      20n
    ]]])
    const { answer: before } = answerOf(instructions.slice(0, 2), { gained: 30n, inner: made })
    assert.deepStrictEqual(found?.deposits, read(before)?.deposits)
  })

  it("are read through lookup tables, with the addresses that the node loaded", () => {
    const table = [named(81), vault]
    const { answer, id } = answerOf([called(deposit(20))], { gained: 20n, tables: { [named(60)]: table } })
    assert.isAbove(answer.meta.loadedAddresses.writable.length, 0)
    assert.deepStrictEqual(read(answer)?.deposits.map(({ amount }) => amount), [20n])
    assert.strictEqual(read(answer)?.id, id)
    // Without them nothing can be decoded.
    assert.isUndefined(read({ ...answer, meta: { ...answer.meta, loadedAddresses: undefined } }))
    assert.isUndefined(read({ ...answer, meta: { ...answer.meta, loadedAddresses: { writable: [], readonly: [] } } }))
  })

  it("are read with any data between programs up to 10 KiB, and memos to their end", () => {
    const long = new Uint8Array(10_240).fill(255)
    const id = `0x${"ab".repeat(32)}`
    const memo = new TextEncoder().encode(`${"x".repeat(10_240 - 66)}${id}`)
    const uses = (data: Uint8Array, of: Address): Instruction => ({
      programAddress: named(70),
      accounts: [...accounts, program, of].map((key) => ({
        address: key,
        role: key === vault ? AccountRole.WRITABLE : role
      })),
      data
    })
    const { answer } = answerOf([uses(new Uint8Array(1), named(71))], {
      gained: 10n,
      inner: [{ program: named(71), accounts, data: long }, { program, accounts, data: deposit(10) }]
    })
    assert.deepStrictEqual(read(answer)?.deposits.map(({ amount, index }) => [index, amount]), [[2, 10n]])
    const memos = address("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr")
    const said = answerOf([uses(new Uint8Array(1), memos)], {
      gained: 10n,
      inner: [{ program: memos, accounts: [], data: memo }]
    })
    assert.deepStrictEqual<unknown>(read(said.answer)?.orderIds, [id])
  })

  it("are refused when longer than any transaction, without being decoded", () => {
    const { answer } = answerOf([router], { gained: 30n, inner: [{ program, accounts, data: deposit(10) }] })
    const [group] = answer.meta.innerInstructions
    const [made] = group?.instructions ?? []
    if (group === undefined || made === undefined) return assert.fail("no inner instruction")
    const many = <A>(one: A, length: number): ReadonlyArray<A> => Array.from({ length }, () => one)
    const withMeta = (change: object) => ({ ...answer, meta: { ...answer.meta, ...change } })
    const withMade = (instructions: ReadonlyArray<unknown>) =>
      withMeta({ innerInstructions: [{ ...group, instructions }] })
    assert.isDefined(read(withMade(many({ ...made, accounts: [...many(0, 250), ...made.accounts] }, 200))))
    const HUGE = 300_000
    const { postTokenBalances: [tokens] } = answer.meta
    const refused = [
      withMade(many(made, 257)),
      withMade(many(made, HUGE)),
      withMade([{ ...made, accounts: many(0, HUGE) }]),
      withMade([{ ...made, data: "2".repeat(14_001) }]),
      withMeta({ innerInstructions: many({ ...group, instructions: [] }, HUGE) }),
      withMeta({ preBalances: many(1, HUGE) }),
      withMeta({ postTokenBalances: many(tokens, HUGE) }),
      withMeta({ innerInstructions: many({ ...group, instructions: many(made, 200) }, 2) }),
      withMeta({ loadedAddresses: { writable: many(vault, HUGE), readonly: [] } })
    ]
    for (const [at, each] of refused.entries()) {
      assert.isUndefined(read(each), `${at}`)
    }
  })

  it("are refused without balances, inner instructions or a time", () => {
    const { answer } = answerOf([called(deposit(20))], { gained: 20n })
    assert.isDefined(read(answer))
    for (
      const name of [
        "innerInstructions",
        "preBalances",
        "postBalances",
        "preTokenBalances",
        "postTokenBalances",
        "err"
      ] as const
    ) {
      const { [name]: _, ...without } = answer.meta
      assert.isUndefined(read({ ...answer, meta: without }), name)
      if (name !== "err") assert.isUndefined(read({ ...answer, meta: { ...answer.meta, [name]: null } }), name)
    }
    assert.isUndefined(read({ ...answer, blockTime: null }))
    for (const name of ["preBalances", "postBalances"] as const) {
      for (const other of [answer.meta[name].slice(1), [...answer.meta[name], 5]]) {
        assert.isUndefined(read({ ...answer, meta: { ...answer.meta, [name]: other } }), name)
      }
    }
    assert.isUndefined(
      read({ ...answer, meta: { ...answer.meta, innerInstructions: [{ index: 9, instructions: [] }] } })
    )
    const [tokens] = answer.meta.postTokenBalances
    assert.isUndefined(read({ ...answer, meta: { ...answer.meta, postTokenBalances: [tokens, tokens] } }))
  })

  it("never throw, whatever leaf of an answer changes, and are never worth more than the vault gained", () => {
    const { answer } = answerOf([router, called(deposit(20)), called(deposit(30))], {
      gained: 45n,
      inner: [{ program, accounts, data: deposit(10) }],
      tables: { [named(60)]: [named(81)] }
    })
    fc.assert(
      fc.property(fc.nat(), fc.nat(59), (leaf, how) => {
        const damaged = withAnotherLeaf(answer, leaf, how)
        const seen = read(damaged)
        if (seen === undefined) return
        const worth = seen.deposits.reduce((sum, { amount }) => sum + amount, 0n)
        const balances = damaged.meta.postBalances.map(BigInt).reduce((sum, each) => sum + each, 0n)
        assert.isTrue(worth <= balances)
      }),
      { numRuns: inputs(2_000, 100_000) }
    )
  })

  it("never throw, for any bytes", () => {
    const { answer } = answerOf([called(deposit(20))], { gained: 20n })
    const [wire = ""] = answer.transaction
    const bytes = base64.decode(wire)
    const changed = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.tuple(fc.nat(bytes.length - 1), fc.nat(255), fc.nat(bytes.length)).map(([at, to, length]) =>
        bytes.map((byte, index) => index === at ? to : byte).slice(0, length)
      )
    )
    fc.assert(
      fc.property(changed, (other) => {
        read({ ...answer, transaction: [base64.encode(other), "base64"] })
      }),
      { numRuns: inputs(2_000, 100_000) }
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.constant(undefined),
          fc.record({
            owner: fc.constantFrom<string>(program, "11111111111111111111111111111111"),
            data: fc.uint8Array({ maxLength: 12 })
          })
        ),
        (account) => {
          const used = isUsed(account, program)
          if (used === true) assert.strictEqual(account?.owner, program)
          if (used === false && account?.owner === program) {
            assert.strictEqual(account.data[8], 0)
          }
        }
      ),
      { numRuns: inputs(1_000, 20_000) }
    )
  })
})

describe("numbers of a node", () => {
  it("are read to the unit, at any size", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(1n << 64n), max: 1n << 64n }), (value) => {
        const [said] = parseExactJson(`[${value}]`) as ReadonlyArray<number | bigint>
        assert.strictEqual(BigInt(said ?? -1), value)
      }),
      { numRuns: inputs(500, 20_000) }
    )
    assert.deepStrictEqual(parseExactJson("[1.5,1e30,\"12345678901234567890\"]"), [1.5, 1e30, "12345678901234567890"])
  })
})
