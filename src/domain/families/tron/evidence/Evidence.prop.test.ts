import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { Result } from "effect"
import { TronWeb } from "tronweb"
import { concat, encodeAbiParameters, encodeEventTopics, encodeFunctionData, erc20Abi, pad, parseAbi } from "viem"
import { inputs } from "../../../../../scripts/testing/Tally.ts"
import { Address } from "../../../chain/Address.ts"
import { accountOfTron, tronOfAccount } from "../TronAddresses.ts"
import { Hex } from "../../../encoding/Hex.ts"
import type { EvmLog } from "../../ethereum/evidence/EvmTransaction.ts"
import { topics } from "../../ethereum/evidence/Events.ts"
import { tronFacts } from "./Evidence.ts"
import { orderIdInMemo } from "./Memo.ts"
import { writtenTransaction } from "./testing/WrittenTransaction.ts"
import { readTronTransaction } from "./TronTransaction.ts"
import type { TronTransaction } from "./TronTransaction.ts"

type Text = `0x${string}`
const hexOf = (bytes: Uint8Array): Text => `0x${Buffer.from(bytes).toString("hex")}`
const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const account = bytes(20).map(hexOf)
const id = bytes(32).map(hexOf).filter((text) => !text.startsWith(`0x${"0".repeat(32)}`))
const int64 = fc.bigInt({ min: 1n, max: 2n ** 53n - 1n })
const amount = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })
const runs = { numRuns: inputs(200, 10_000) }

const base58 = (of: string): string => TronWeb.address.fromHex(`41${of.slice(2)}`)
const NATIVE = "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb"
const ZERO = `0x${"0".repeat(64)}`

/** As TronWeb writes it. */
const written = (type: string, value: object, memo: Uint8Array) => {
  const { id, rawHex } = writtenTransaction(type, value, { memo: Buffer.from(memo).toString("hex") })
  return { id, bytes: Buffer.from(rawHex, "hex") }
}

const memoText = (text: string) => new TextEncoder().encode(text)

/** Protobuf by hand, for messages that TronWeb does not write. */
const field = (number: number, value: Iterable<number>): ReadonlyArray<number> => {
  const all = [...value]
  return [number * 8 + 2, ...(all.length < 128 ? [all.length] : [0x80 | (all.length & 0x7f), all.length >> 7]), ...all]
}
const raw = (value: Iterable<number>, type = "type.googleapis.com/protocol.TransferContract") =>
  Uint8Array.from(field(11, [8, 1, ...field(2, [...field(1, memoText(type)), ...field(2, value)])]))

const here: Text = "0xa9aeeaa5254407849c15688e12a168b0f9d83bf0"
const depository = Address.make(base58(here))
const contracts = { depository, router: undefined }
const abi = parseAbi([
  "event RelayNativeDeposit(address from, uint256 amount, bytes32 id)",
  "event SolverNativeTransfer(address to, uint256 amount)",
  "event SolverCallExecuted(address to, bytes data, uint256 amount)"
])
const log = (address: string, topicsOfLog: ReadonlyArray<string>, data: Text, logIndex: number): EvmLog => ({
  address: Address.make(address),
  topics: topicsOfLog,
  data: Hex.make(data),
  logIndex
})
const transfer = (token: string, from: Text, to: Text, value: bigint, at = 3) =>
  log(token, [topics.transfer, pad(from), pad(to)], encodeAbiParameters([{ type: "uint256" }], [value]), at)

const trigger = (contract: string, input: Text, value = 0n): TronTransaction => ({
  id: "",
  memo: new Uint8Array(0),
  act: {
    _tag: "Trigger",
    owner: Address.make(`0x${"a1".repeat(20)}`),
    contract: Address.make(contract),
    value,
    input: Hex.make(input)
  },
  owner: Address.make(`0x${"a1".repeat(20)}`)
})
const sent = (to: string, value: bigint, memo: Uint8Array): TronTransaction => ({
  id: "",
  memo,
  act: { _tag: "Transfer", owner: Address.make(`0x${"a1".repeat(20)}`), to: Address.make(to), amount: value },
  owner: Address.make(`0x${"a1".repeat(20)}`)
})

describe("a transaction of Tron is what its raw_data says, as TronWeb writes it", () => {
  it("of a transfer: sender, recipient, amount, memo and id", () => {
    fc.assert(
      fc.property(account, account, int64, fc.uint8Array({ maxLength: 200 }), (owner, to, value, memo) => {
        const made = written("TransferContract", {
          owner_address: `41${owner.slice(2)}`,
          to_address: `41${to.slice(2)}`,
          amount: Number(value)
        }, memo)
        assert.deepStrictEqual<unknown>(readTronTransaction(made.bytes), {
          id: made.id,
          memo: Uint8Array.from(memo),
          act: { _tag: "Transfer", owner, to, amount: value },
          owner
        })
      }),
      runs
    )
  })

  it("of a call: caller, contract, input and value", () => {
    fc.assert(
      fc.property(
        account,
        account,
        fc.oneof(fc.constant(0n), int64),
        fc.uint8Array({ maxLength: 300 }),
        (owner, contract, value, input) => {
          const made = written("TriggerSmartContract", {
            owner_address: `41${owner.slice(2)}`,
            contract_address: `41${contract.slice(2)}`,
            call_value: Number(value),
            data: Buffer.from(input).toString("hex"),
            call_token_value: 0,
            token_id: 0
          }, new Uint8Array(0))
          assert.deepStrictEqual<unknown>(readTronTransaction(made.bytes), {
            id: made.id,
            memo: new Uint8Array(0),
            act: { _tag: "Trigger", owner, contract, value, input: hexOf(input) },
            owner
          })
        }
      ),
      runs
    )
  })

  it("of everything else: nothing that could be evidence", () => {
    const owner_address = `41${"a1".repeat(20)}`
    const made = written("TransferAssetContract", {
      owner_address,
      to_address: `41${"b2".repeat(20)}`,
      asset_name: "31303030303031",
      amount: 5
    }, new Uint8Array(32).fill(7))
    assert.strictEqual(readTronTransaction(made.bytes)?.act._tag, "Other")
    // A creation is no call, but makes logs, and has an owner.
    const creation = raw(field(1, Buffer.from(owner_address, "hex")), "any/thing/protocol.CreateSmartContract")
    const { act, owner } = readTronTransaction(creation) ?? assert.fail("it is not read")
    assert.deepStrictEqual<unknown>([act._tag, owner], ["Other", `0x${"a1".repeat(20)}`])
    // Amounts that no node accepts, and accounts of another length or network.
    const acting = (to: Uint8Array, paid: ReadonlyArray<number>) =>
      readTronTransaction(raw([...field(1, Buffer.from(owner_address, "hex")), ...field(2, to), 24, ...paid]))?.act._tag
    const to = Uint8Array.of(0x41, ...new Uint8Array(20).fill(9))
    assert.strictEqual(acting(to, [1]), "Transfer")
    assert.strictEqual(acting(to, [0]), "Other")
    assert.strictEqual(acting(to, [...new Uint8Array(9).fill(0xff), 1]), "Other")
    assert.strictEqual(acting(to.with(0, 0xa0), [1]), "Other")
    assert.strictEqual(acting(to.subarray(1), [1]), "Other")
  })

  it("of a repeated field the last one counts, and unknown fields are skipped, as in nodes", () => {
    fc.assert(
      fc.property(
        account,
        account,
        fc.integer({ min: 1, max: 127 }),
        fc.constantFrom([], [0x98, 0x06, 1], [0x9b, 0x06, 8, 1, 0x9c, 0x06], [0x9d, 0x06, 1, 2, 3, 4], [
          0x99,
          0x06,
          1,
          2,
          3,
          4,
          5,
          6,
          7,
          8
        ], [0x10, 5]),
        (first, last, value, unknown) => {
          const of = (number: number, text: string) => field(number, [0x41, ...Buffer.from(text.slice(2), "hex")])
          const outer = raw(
            [...of(1, first), ...of(2, first), ...unknown, ...of(2, last), 24, 3, 24, value],
            "any/thing/protocol.TransferContract"
          )
          assert.deepStrictEqual<unknown>(readTronTransaction(outer)?.act, {
            _tag: "Transfer",
            owner: first,
            to: last,
            amount: BigInt(value)
          })
          // Two contracts count as none.
          assert.strictEqual(readTronTransaction(Uint8Array.of(...outer, ...outer))?.act._tag, "Other")
        }
      ),
      runs
    )
  })

  it("of any garbage: a transaction or none, never a throw", () => {
    const [seed] = [
      written("TransferContract", {
        owner_address: `41${"a1".repeat(20)}`,
        to_address: `41${"b2".repeat(20)}`,
        amount: 7
      }, memoText(ZERO)).bytes
    ]
    const broken = fc.array(fc.tuple(fc.nat(seed.length - 1), fc.nat(255)), { maxLength: 6 }).map((changes) =>
      changes.reduce((all, [at, to]) => all.with(at, to), Uint8Array.from(seed))
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array({ maxLength: 400 }),
          broken,
          broken.map((all) => all.subarray(0, all.length >> 1))
        ),
        (some) => {
          const read = readTronTransaction(some)
          if (read === undefined) return
          assert.match(read.id, /^[0-9a-f]{64}$/)
          const { deposits, payments } = tronFacts(read, [], contracts)
          assert.lengthOf(deposits, 0)
          for (const { amount: paid } of payments) assert.isAbove(Number(paid), 0)
        }
      ),
      { numRuns: inputs(10_000, 1_000_000) }
    )
  })
})

describe("addresses of Tron", () => {
  it("are the accounts of its contracts, in TronWeb's spelling", () => {
    fc.assert(
      fc.property(account, (of) => {
        assert.strictEqual<string>(Result.getOrThrow(tronOfAccount(of)), base58(of))
        assert.strictEqual<string>(Result.getOrThrow(accountOfTron(base58(of))), of)
      }),
      runs
    )
    assert.strictEqual(base58(`0x${"0".repeat(40)}`), NATIVE)
  })
})

describe("deposits of Tron", () => {
  it("are the EVM's, in Tron's spelling", () => {
    fc.assert(
      fc.property(account, amount, id, (from, value, orderId) => {
        const [topic] = encodeEventTopics({ abi, eventName: "RelayNativeDeposit" })
        const said = log(
          here,
          [topic],
          encodeAbiParameters([{ type: "address" }, { type: "uint256" }, { type: "bytes32" }], [from, value, orderId]),
          5
        )
        assert.deepStrictEqual<unknown>(tronFacts(trigger(here, "0x"), [said], contracts).deposits, [
          { depository, index: 5, depositId: orderId, depositor: base58(from), currency: NATIVE, amount: value }
        ])
        assert.lengthOf(
          tronFacts(trigger(here, "0x"), [{
            ...said,
            address: Address.make(from === here ? `0x${"11".repeat(20)}` : from)
          }], contracts).deposits,
          0
        )
      }),
      runs
    )
  })

  it("by a transfer of the sender carry the id behind its arguments, and nowhere else", () => {
    fc.assert(
      fc.property(account, account, amount, id, (payer, token, value, orderId) => {
        fc.pre(token !== here && payer !== here)
        const logs = [transfer(token, payer, here, value)]
        const calls = [
          encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [here, value] }),
          encodeFunctionData({ abi: erc20Abi, functionName: "transferFrom", args: [payer, here, value] })
        ]
        const idOf = (input: Text) =>
          tronFacts(trigger(token, input), logs, contracts).deposits.map((
            { currency, depositId, depositor }
          ) => [depositId, depositor, currency])
        const found = [[orderId, base58(payer), base58(token)]]
        const none = [[ZERO, base58(payer), base58(token)]]
        for (const call of calls) {
          assert.deepStrictEqual<unknown>(idOf(concat([call, orderId])), found)
          assert.deepStrictEqual<unknown>(idOf(concat([call, orderId, "0x0102"])), found)
          const withPrefix: Text = `0x${
            call.slice(2).replace(`${"0".repeat(24)}${here.slice(2)}`, `${"0".repeat(22)}41${here.slice(2)}`)
          }`
          assert.deepStrictEqual<unknown>(idOf(concat([withPrefix, orderId])), found)
          // Nested in another call, which counts on the EVM; truncated; or an invalid id.
          assert.deepStrictEqual<unknown>(idOf(concat(["0x01020304", call, orderId])), none)
          assert.deepStrictEqual<unknown>(idOf(`0x0${call.slice(2)}${orderId.slice(2)}0`), none)
          assert.deepStrictEqual<unknown>(idOf(call), none)
          assert.deepStrictEqual<unknown>(idOf(concat([call, orderId.slice(0, -2) as Text])), none)
          assert.deepStrictEqual<unknown>(idOf(concat([call, pad("0x01", { size: 32 })])), none)
        }
        const others: ReadonlyArray<Text> = [
          encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [payer, value] }),
          encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [here, value ^ 1n] })
        ]
        for (const call of others) assert.deepStrictEqual<unknown>(idOf(concat([call, orderId])), none)
      }),
      runs
    )
  })
})

describe("payments of Tron", () => {
  const recipient: Text = `0x${"c0".repeat(20)}`

  it("in TRX name their order by the memo: its bytes, or exactly its text", () => {
    fc.assert(
      fc.property(int64, id, (value, orderId) => {
        const paid = [{ recipient: base58(recipient), currency: NATIVE, amount: value, through: { _tag: "Direct" } }]
        for (
          const memo of [
            Buffer.from(orderId.slice(2), "hex"),
            memoText(orderId),
            memoText(`0x${orderId.slice(2).toUpperCase()}`)
          ]
        ) {
          const { orderIds, payments } = tronFacts(sent(recipient, value, memo), [], contracts)
          assert.deepStrictEqual<unknown>([orderIds, payments], [[orderId], paid])
        }
        for (
          const memo of [
            new Uint8Array(0),
            memoText(` ${orderId}`),
            memoText(`${orderId}\n`),
            memoText(orderId.slice(2)),
            memoText(`${orderId}${orderId.slice(2)}`),
            memoText(orderId.replace("x", "X")),
            Buffer.from(orderId.slice(4), "hex")
          ]
        ) {
          assert.isUndefined(orderIdInMemo(memo))
          const { deposits, orderIds, payments } = tronFacts(sent(recipient, value, memo), [], contracts)
          assert.deepStrictEqual<unknown>([deposits, orderIds, payments], [[], [], []])
        }
        // The memo of a contract call names no order.
        assert.deepStrictEqual<unknown>(
          tronFacts({ ...trigger(recipient, "0x", value), memo: memoText(orderId) }, [], contracts).orderIds,
          []
        )
      }),
      runs
    )
  })

  it("by contracts are the EVM's, in Tron's spelling; what is called stays as orders write it", () => {
    fc.assert(
      fc.property(account, account, amount, id, (router, token, value, orderId) => {
        fc.pre(router !== here)
        const named = (
          eventName: "SolverNativeTransfer" | "SolverCallExecuted"
        ) => [encodeEventTopics({ abi, eventName })[0]]
        const logs = [
          transfer(token, router, recipient, value, 0),
          log(
            router,
            named("SolverNativeTransfer"),
            encodeAbiParameters([{ type: "address" }, { type: "uint256" }], [recipient, value]),
            1
          ),
          log(
            router,
            named("SolverCallExecuted"),
            encodeAbiParameters([{ type: "address" }, { type: "bytes" }, { type: "uint256" }], [
              token,
              "0x0102",
              value
            ]),
            2
          )
        ]
        const { orderIds, payments, routerCalls } = tronFacts(trigger(router, concat(["0x01020304", orderId])), logs, {
          depository,
          router: Address.make(base58(router))
        })
        assert.deepStrictEqual<unknown>(orderIds, [orderId])
        assert.deepStrictEqual<unknown>(payments, [
          { recipient: base58(recipient), currency: base58(token), amount: value, through: { _tag: "Direct" } },
          {
            recipient: base58(recipient),
            currency: NATIVE,
            amount: value,
            through: { _tag: "Router", router: base58(router) }
          }
        ])
        assert.deepStrictEqual<unknown>(routerCalls, [{ router: base58(router), to: token, data: "0x0102", value }])
        // Events of other contracts do not count.
        const others = tronFacts(trigger(router, concat(["0x01020304", orderId])), logs, contracts)
        assert.deepStrictEqual([others.payments.length, others.routerCalls.length], [1, 0])
        // What the depository pays out is not a payment.
        assert.lengthOf(
          tronFacts(trigger(router, orderId), [transfer(token, here, recipient, value)], contracts).payments,
          0
        )
      }),
      runs
    )
  })
})
