import { assert, describe, it } from "@effect/vitest"
import { Psbt, Transaction } from "bitcoinjs-lib"
import * as fc from "fast-check"
import { inputs } from "../../../../../scripts/testing/Tally.ts"
import { readPsbt } from "../Psbt.ts"
import { isCoinbase, readBtcTransaction } from "./BtcTransaction.ts"
import { depositsOf } from "./Deposits.ts"
import { depositNoteIn, orderIdIn, pushedData } from "./OpReturn.ts"
import { orderIdsOf, paymentsOf } from "./Payments.ts"
import { pays, sameBytes } from "./SpentCoins.ts"
import {
  account,
  amounts,
  bare,
  built,
  depository,
  ids,
  type Made,
  network,
  opReturn,
  pushForms,
  scriptOf,
  text,
  transactionOf,
  users
} from "./testing/Transactions.ts"
import { spendingOf } from "./WithdrawnCoins.ts"

const NO_ID = `0x${"0".repeat(64)}`
const form = fc.constantFrom(...pushForms)

const spent = fc.array(fc.oneof(users.map(scriptOf), fc.constant(bare)), { minLength: 1, maxLength: 4 })
const paying = fc.oneof(
  fc.record({ script: users.map(scriptOf), amount: amounts }),
  fc.record({ script: fc.constant(scriptOf(depository.address)), amount: amounts }),
  fc.record({ script: fc.constant(bare), amount: amounts })
)
const named = fc.record({ id: ids, depositor: fc.option(users, { nil: undefined }), form })
const noteOf = (
  { depositor, form: how, id }: {
    readonly id: string
    readonly depositor: string | undefined
    readonly form: typeof pushForms[number]
  }
) => opReturn(text(depositor === undefined ? id : `${id}|depositor=${depositor}|`), how)

const sum = (all: ReadonlyArray<bigint>): bigint => all.reduce((total, each) => total + each, 0n)

describe("deposits of Bitcoin", () => {
  it("are worth all outputs to the depository, at the first note's index, for whom it names or the first payer", () => {
    fc.assert(
      fc.property(
        spent,
        fc.array(paying, { minLength: 1, maxLength: 5 }),
        fc.option(named, { nil: undefined }),
        fc.nat(5),
        fc.boolean(),
        (from, outputs, note, at, segwit) => {
          const place = Math.min(at, outputs.length)
          const all = note === undefined ? outputs : outputs.toSpliced(place, 0, { script: noteOf(note), amount: 0n })
          const made: Made = { spent: from, outputs: all, segwit }
          const worth = sum(
            outputs.flatMap(({ amount, script }) =>
              Buffer.from(script).equals(scriptOf(depository.address)) ? [amount] : []
            )
          )
          const payers = from.filter((script) => script !== bare)
          const first = [1, 2, 3, 4, 5, 6].map(account).find((each) =>
            Buffer.from(scriptOf(each)).equals(payers[0] ?? new Uint8Array(1))
          )
          const depositor = note?.depositor ?? first
          const expected = worth === 0n || depositor === undefined ? [] : [{
            depository: depository.address,
            index: note === undefined ? 0 : place,
            depositId: note?.id ?? NO_ID,
            depositor,
            currency: "bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqmql8k8",
            amount: worth
          }]
          assert.deepStrictEqual<unknown>(depositsOf(transactionOf(made), depository), expected)
          // If one of the spent coins is the depository's, the output to it is change.
          const own = { ...made, spent: from.with(from.length - 1, scriptOf(depository.address)) }
          assert.deepStrictEqual(depositsOf(transactionOf(own), depository), [])
          assert.deepStrictEqual(paymentsOf(transactionOf(own), depository), [])
        }
      ),
      { numRuns: inputs(300, 10_000) }
    )
  })

  it("are named by a note in every form of a push, and by nothing similar", () => {
    fc.assert(
      fc.property(ids, form, users, (id, how, user) => {
        const note = (said: string) => depositNoteIn(opReturn(text(said), how), network)
        assert.deepStrictEqual<unknown>(note(id), { id, depositor: undefined })
        assert.deepStrictEqual<unknown>(note(id.toUpperCase().replace("X", "x")), { id, depositor: undefined })
        assert.deepStrictEqual<unknown>(note(`${id}|depositor=${user}|`), { id, depositor: user })
        const near = [
          id.slice(2),
          ` ${id}`,
          `${id} `,
          `${id}0`,
          id.slice(0, -1),
          `${id}|`,
          `${id}|depositor=|`,
          `${id}|depositor=${user}`,
          `${id}|depositor=${user}||`,
          `${id}|depositor=bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqmql8k8|`,
          `${id}|depositor=1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2|`,
          `\u{feff}${id}`,
          `${id}\n`
        ]
        for (const said of near) assert.isUndefined(note(said), said)
        for (
          const script of [
            Uint8Array.of(...opReturn(text(id), how), 0x00),
            opReturn(text(id), how).subarray(0, -1),
            Uint8Array.of(0x51, ...opReturn(text(id), how).subarray(1)),
            Uint8Array.of(0x6a)
          ]
        ) {
          assert.isUndefined(depositNoteIn(script, network))
          assert.isUndefined(orderIdIn(script))
          assert.isUndefined(pushedData(script))
        }
      }),
      { numRuns: inputs(100, 2_000) }
    )
  })
})

describe("guards of Bitcoin's evidence", () => {
  const coin = (
    hash: number,
    index: number
  ) => [...new Uint8Array(32).fill(hash), ...new Uint8Array(Uint32Array.of(index).buffer)]
  const input = [...coin(9, 1), 0, 0xff, 0xff, 0xff, 0xff]
  const output = (amount: bigint) => [...new Uint8Array(BigInt64Array.of(amount).buffer), 1, 0x51]
  const version = [2, 0, 0, 0]
  const lock = [0, 0, 0, 0]
  const read = (...parts: ReadonlyArray<ReadonlyArray<number>>) =>
    readBtcTransaction(Uint8Array.from([version, ...parts, lock].flat()))

  it("a transaction has inputs and outputs, no negative amount, and valid segwit marks", () => {
    assert.deepStrictEqual(read([1], input, [1], output(7n))?.outputs.map(({ amount }) => amount), [7n])
    assert.isUndefined(read([1], input, [1], output(-1n)))
    assert.isUndefined(read([1], input, [0]))
    assert.isUndefined(read([0, 0]))
    assert.isUndefined(read([0], [2], output(1n), output(2n)))
    assert.isDefined(read([0, 1], [1], input, [1], output(7n), [0]))
    assert.isUndefined(read([0, 2], [1], input, [1], output(7n), [0]))
    assert.isUndefined(read([0, 1], [1], input, [1], output(7n), [1, 200]))
  })

  it("a coinbase transaction spends nothing at no index: neither half alone counts", () => {
    const [nothing, none] = ["00".repeat(32), 0xffff_ffff]
    const of = (transactionId: string, index: number) => isCoinbase({ inputs: [{ transactionId, index }] })
    assert.deepStrictEqual([of(nothing, none), of(nothing, 0), of("01".repeat(32), none), isCoinbase({ inputs: [] })], [
      true,
      false,
      false,
      false
    ])
  })

  it("a push is one of the direct opcodes or of the three with a length, and scripts are compared to the last byte", () => {
    const data = text(`0x${"ab".repeat(32)}|depositor=${account(1)}|`)
    assert.isUndefined(pushedData(Uint8Array.of(0x6a, data.length, ...data)), "an opcode that is no push")
    assert.isUndefined(pushedData(Uint8Array.of(0x6a, 0x00)))
    const script = scriptOf(depository.address)
    for (const near of [script.subarray(0, -1), Uint8Array.of(...script, 0), new Uint8Array(0)]) {
      assert.isFalse(pays(near, depository))
      assert.deepStrictEqual([sameBytes(near, script), sameBytes(script, near)], [false, false])
    }
    assert.isFalse(pays(script, { ...depository, network: "mainnet" }))
  })

  it("an output of zero pays nobody", () => {
    const made = transactionOf({
      spent: [bare],
      outputs: [{ script: scriptOf(account(1)), amount: 0n }, { script: scriptOf(account(2)), amount: 1n }],
      segwit: true
    })
    assert.deepStrictEqual(paymentsOf(made, depository).map(({ amount, recipient }) => [amount, recipient]), [[
      1n,
      account(2)
    ]])
  })
})

describe("payments of Bitcoin", () => {
  it("are all outputs with an address, and name every order that is the whole content of an OP_RETURN", () => {
    fc.assert(
      fc.property(
        spent,
        fc.array(paying, { minLength: 1, maxLength: 5 }),
        fc.array(named, { maxLength: 3 }),
        fc.boolean(),
        (from, outputs, notes, segwit) => {
          const made = transactionOf({
            spent: from,
            outputs: [...notes.map((note) => ({ script: noteOf(note), amount: 0n })), ...outputs],
            segwit
          })
          assert.deepStrictEqual<unknown>(
            orderIdsOf(made),
            notes.flatMap(({ depositor, id }) => depositor === undefined ? [id] : [])
          )
          const paid = paymentsOf(made, depository)
          for (const user of [1, 2, 3, 4, 5, 6].map(account)) {
            const due = sum(
              outputs.flatMap(({ amount, script }) => Buffer.from(script).equals(scriptOf(user)) ? [amount] : [])
            )
            assert.strictEqual(sum(paid.flatMap(({ amount, recipient }) => recipient === user ? [amount] : [])), due)
          }
          assert.isFalse(paid.some(({ recipient }) => recipient === depository.address))
        }
      ),
      { numRuns: inputs(200, 5_000) }
    )
  })
})

describe("transactions of Bitcoin", () => {
  const made = fc.record({ spent, outputs: fc.array(paying, { minLength: 1, maxLength: 5 }), segwit: fc.boolean() })

  it("are read as bitcoinjs-lib writes them: id, coins, outputs", () => {
    fc.assert(
      fc.property(made, (plan) => {
        const theirs = built(plan)
        const ours = transactionOf(plan)
        assert.strictEqual(ours.id, theirs.getId())
        assert.deepStrictEqual(
          ours.inputs,
          theirs.ins.map(({ hash, index }) => ({
            transactionId: Buffer.from(hash.toReversed()).toString("hex"),
            index
          }))
        )
        assert.deepStrictEqual(
          ours.outputs.map(({ amount, script }) => [amount, Buffer.from(script).toString("hex")]),
          theirs.outs.map(({ script, value }) => [value, Buffer.from(script).toString("hex")])
        )
      }),
      { numRuns: inputs(200, 5_000) }
    )
  })

  it("that are damaged are those that their bytes hash to, or refused; nothing throws, and bitcoinjs-lib agrees", () => {
    fc.assert(
      fc.property(made, fc.nat(), fc.nat(255), fc.constantFrom("change", "cut", "add"), (plan, at, byte, how) => {
        const bytes = Uint8Array.from(built(plan).toBuffer())
        const place = at % bytes.length
        const damaged = how === "change"
          ? bytes.with(place, byte)
          : how === "cut"
          ? bytes.subarray(0, place)
          : Uint8Array.of(...bytes, byte)
        const ours = readBtcTransaction(damaged)
        if (ours === undefined) return
        const theirs = Transaction.fromBuffer(damaged)
        assert.strictEqual(ours.id, theirs.getId())
        assert.strictEqual(ours.outputs.length, theirs.outs.length)
      }),
      { numRuns: inputs(500, 20_000) }
    )
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        readBtcTransaction(bytes)
        pushedData(bytes)
        depositNoteIn(Uint8Array.of(0x6a, ...bytes), network)
      }),
      { numRuns: inputs(500, 20_000) }
    )
  })
})

describe("withdrawals of Bitcoin", () => {
  const plans = fc.record({
    coins: fc.uniqueArray(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 4 }),
    outputs: fc.array(fc.record({ script: users.map(scriptOf), amount: amounts }), { minLength: 1, maxLength: 4 })
  })
  const psbtOf = ({ coins, outputs }: { readonly coins: ReadonlyArray<number>; readonly outputs: Made["outputs"] }) => {
    const psbt = new Psbt()
    for (const coin of coins) psbt.addInput({ hash: new Uint8Array(32).fill(coin), index: coin })
    for (const { amount, script } of outputs) psbt.addOutput({ script, value: amount })
    return readPsbt(Uint8Array.from(psbt.toBuffer())) ?? assert.fail("no PSBT")
  }
  const spending = (coins: ReadonlyArray<number>, outputs: Made["outputs"], beside = 0) => {
    const transaction = new Transaction()
    for (const coin of coins) transaction.addInput(new Uint8Array(32).fill(coin), coin + beside)
    for (const { amount, script } of outputs) transaction.addOutput(script, amount)
    return readBtcTransaction(Uint8Array.from(transaction.toBuffer())) ?? assert.fail("it does not read")
  }

  it("are executed by a transaction that spends their coins to their outputs, spent otherwise by any other that takes one, and else untouched", () => {
    fc.assert(
      fc.property(plans, fc.nat(3), (plan, at) => {
        const { coins, outputs } = plan
        const psbt = psbtOf(plan)
        const [first] = outputs
        if (first === undefined) return
        assert.strictEqual(spendingOf(psbt, spending(coins, outputs)), "executed")
        assert.strictEqual(spendingOf(psbt, spending(coins.toReversed(), outputs)), "executed")
        assert.strictEqual(spendingOf(psbt, spending([201], outputs)), "untouched")
        // Other outputs of the same transactions.
        assert.strictEqual(spendingOf(psbt, spending(coins, outputs, 1)), "untouched")
        assert.strictEqual(spendingOf(psbt, spending(coins, [...outputs, first])), "otherwise")
        assert.strictEqual(
          spendingOf(
            psbt,
            spending(
              coins,
              outputs.with(at % outputs.length, {
                script: first.script,
                amount: (outputs[at % outputs.length]?.amount ?? 0n) + 1n
              })
            )
          ),
          "otherwise"
        )
        assert.strictEqual(
          spendingOf(
            psbt,
            spending(
              coins,
              outputs.with(at % outputs.length, {
                script: scriptOf(account(40)),
                amount: outputs[at % outputs.length]?.amount ?? 0n
              })
            )
          ),
          "otherwise"
        )
        if (coins.length > 1) assert.strictEqual(spendingOf(psbt, spending(coins.slice(1), outputs)), "otherwise")
        if (outputs.length > 1) assert.strictEqual(spendingOf(psbt, spending(coins, outputs.slice(1))), "otherwise")
      }),
      { numRuns: inputs(100, 3_000) }
    )
  })

  it("in damaged bytes are read or refused, and never throw", () => {
    fc.assert(
      fc.property(plans, fc.nat(), fc.nat(255), (plan, at, byte) => {
        const psbt = new Psbt()
        for (const coin of plan.coins) psbt.addInput({ hash: new Uint8Array(32).fill(coin), index: coin })
        for (const { amount, script } of plan.outputs) psbt.addOutput({ script, value: amount })
        const bytes = Uint8Array.from(psbt.toBuffer())
        readPsbt(bytes.with(at % bytes.length, byte))
        readPsbt(bytes.subarray(0, at % bytes.length))
      }),
      { numRuns: inputs(200, 10_000) }
    )
  })
})
