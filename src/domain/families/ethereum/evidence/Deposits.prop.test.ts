import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { concat, encodeAbiParameters, encodeEventTopics, encodeFunctionData, erc20Abi, pad, parseAbi } from "viem"
import vectors from "../../../hub/vectors/settlement.json" with { type: "json" }
import { Address } from "../../../chain/Address.ts"
import { Hex } from "../../../encoding/Hex.ts"
import { inputs } from "../../../../../scripts/testing/Tally.ts"
import { depositsOf } from "./Deposits.ts"
import { topics } from "./Events.ts"
import type { EvmLog, EvmTransaction } from "./EvmTransaction.ts"
import { orderIdsOf, paymentsOf, routerCallsOf } from "./Payments.ts"

const here = "0xa9aeeaa5254407849c15688e12a168b0f9d83bf0"
const depository = Address.make(here)
const mirror = "0x000000000000000000000000000000000000800a"
/** Of EIP-7708. */
const systemMirror = "0xfffffffffffffffffffffffffffffffffffffffe"
const ZERO = `0x${"0".repeat(64)}` as const

const abi = parseAbi([
  "event RelayNativeDeposit(address from, uint256 amount, bytes32 id)",
  "event RelayErc20Deposit(address from, address token, uint256 amount, bytes32 id)",
  "event SolverNativeTransfer(address to, uint256 amount)",
  "event SolverCallExecuted(address to, bytes data, uint256 amount)"
])

type Text = `0x${string}`
const bytes = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((array): Text =>
    `0x${Buffer.from(array).toString("hex")}`
  )
const account = bytes(20)
/** No id starts with 16 zero bytes. Random ones practically never do. */
const id = bytes(32).filter((text) => !text.startsWith(`0x${"0".repeat(32)}`))
const amount = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })

const log = (address: string, topicsOfLog: ReadonlyArray<string>, data: Text): Omit<EvmLog, "logIndex"> => ({
  address: Address.make(address),
  topics: topicsOfLog,
  data: Hex.make(data)
})
const event = (address: string, eventName: (typeof abi)[number]["name"], data: Text) =>
  log(address, encodeEventTopics({ abi, eventName }).map(String), data)
const native = (from: Text, value: bigint, orderId: Text, at: string = depository) =>
  event(
    at,
    "RelayNativeDeposit",
    encodeAbiParameters([{ type: "address" }, { type: "uint256" }, { type: "bytes32" }], [from, value, orderId])
  )
const said = (from: Text, token: Text, value: bigint, orderId: Text, at: string = depository) =>
  event(
    at,
    "RelayErc20Deposit",
    encodeAbiParameters([{ type: "address" }, { type: "address" }, { type: "uint256" }, { type: "bytes32" }], [
      from,
      token,
      value,
      orderId
    ])
  )
const transfer = (token: string, from: Text, to: Text, value: bigint) =>
  log(token, [topics.transfer, pad(from), pad(to)], encodeAbiParameters([{ type: "uint256" }], [value]))

const transaction = (
  logs: ReadonlyArray<Omit<EvmLog, "logIndex">>,
  changes: Partial<EvmTransaction> = {}
): EvmTransaction => ({
  from: Address.make(`0x${"a1".repeat(20)}`),
  to: depository,
  input: Hex.make("0x"),
  value: 0n,
  logs: logs.map((each, index) => ({ ...each, logIndex: 7 + index })),
  ...changes
})

const transferCall = (to: Text, value: bigint) =>
  encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [to, value] })
const transferFromCall = (from: Text, to: Text, value: bigint) =>
  encodeFunctionData({ abi: erc20Abi, functionName: "transferFrom", args: [from, to, value] })

const runs = { numRuns: inputs(300) }

describe("deposits of an EVM transaction", () => {
  it("are read from events with the topics of the protocol", () => {
    assert.strictEqual<string>(topics.nativeDeposit, vectors.topics["RelayNativeDeposit(address,uint256,bytes32)"])
    assert.strictEqual<string>(
      topics.erc20Deposit,
      vectors.topics["RelayErc20Deposit(address,address,uint256,bytes32)"]
    )
  })

  it("native: the depositor, amount, order and index", () => {
    fc.assert(
      fc.property(account, amount, id, (from, value, orderId) => {
        assert.deepStrictEqual<unknown>(depositsOf(transaction([native(from, value, orderId)]), depository), [
          { depository, index: 7, depositId: orderId, depositor: from, currency: `0x${"0".repeat(40)}`, amount: value }
        ])
      }),
      runs
    )
  })

  it("token: the received amount counts, the depository's event names the depositor; the index is the Transfer's", () => {
    fc.assert(
      fc.property(account, account, account, amount, id, (payer, from, token, value, orderId) => {
        fc.pre(token !== depository)
        assert.deepStrictEqual<unknown>(
          depositsOf(transaction([transfer(token, payer, here, value), said(from, token, value, orderId)]), depository),
          [{ depository, index: 7, depositId: orderId, depositor: from, currency: token, amount: value }]
        )
      }),
      runs
    )
  })

  it("token: an event for another token or amount, before the Transfer, or of a stranger, does not count", () => {
    fc.assert(
      fc.property(account, account, fc.bigInt({ min: 1n, max: 2n ** 128n }), id, (payer, token, value, orderId) => {
        fc.pre(token !== depository)
        const moved = transfer(token, payer, here, value)
        const others = [
          [moved, said(payer, `0x${"77".repeat(20)}`, value, orderId)],
          [moved, said(payer, token, value + 1n, orderId)],
          [said(payer, token, value, orderId), moved],
          [moved, said(payer, token, value, orderId, `0x${"99".repeat(20)}`)]
        ]
        for (const logs of others) {
          const [deposit, ...more] = depositsOf(transaction(logs), depository)
          assert.lengthOf(more, 0)
          assert.deepStrictEqual<unknown>([deposit?.depositId, deposit?.depositor, deposit?.amount], [
            ZERO,
            payer,
            value
          ])
        }
      }),
      runs
    )
  })

  it("several in one transaction: each has its own event, and none has the next one's", () => {
    fc.assert(
      fc.property(account, account, amount, id, id, (payer, token, value, first, second) => {
        fc.pre(token !== depository)
        const moved = transfer(token, payer, here, value)
        const both = depositsOf(
          transaction([moved, said(payer, token, value, first), moved, said(payer, token, value, second)]),
          depository
        )
        assert.deepStrictEqual(both.map(({ depositId, index }) => [index, String(depositId)]), [[7, first], [
          9,
          second
        ]])
        // An event after the second Transfer is too late for the first one: that deposit names no order.
        const late = depositsOf(transaction([moved, moved, said(payer, token, value, second)]), depository)
        assert.deepStrictEqual(late.map(({ depositId }) => String(depositId)), [ZERO, second])
        assert.lengthOf(
          depositsOf(transaction([native(payer, value, first), native(payer, value, first)]), depository),
          2
        )
      }),
      runs
    )
  })

  it("a lone Transfer: the calldata gives the id, aligned or not, by transfer or transferFrom", () => {
    fc.assert(
      fc.property(
        account,
        account,
        amount,
        id,
        fc.constantFrom("0x", "0x01", "0xdeadbeef"),
        (payer, token, value, orderId, before) => {
          fc.pre(token !== depository)
          const logs = [transfer(token, payer, here, value)]
          for (const call of [transferCall(here, value), transferFromCall(payer, here, value)]) {
            const [deposit] = depositsOf(
              transaction(logs, { input: Hex.make(concat([before, call, orderId])) }),
              depository
            )
            assert.deepStrictEqual<unknown>([deposit?.depositId, deposit?.depositor], [orderId, payer])
            // The same id twice counts as one. Two different ids count as none, as does an id beside a call without
            // one.
            const twice = concat([before, call, orderId, call, orderId])
            assert.strictEqual<string | undefined>(
              depositsOf(transaction(logs, { input: Hex.make(twice) }), depository)[0]?.depositId,
              orderId
            )
            const other = concat([call, orderId, call, `0x${"5a".repeat(32)}`])
            assert.strictEqual<string | undefined>(
              depositsOf(transaction(logs, { input: Hex.make(other) }), depository)[0]?.depositId,
              ZERO
            )
          }
          // Shifted by half a byte: the hex text is searched, not the bytes.
          const shifted = Hex.make(`0x0${transferCall(here, value).slice(2)}${orderId.slice(2)}0`)
          assert.strictEqual<string | undefined>(
            depositsOf(transaction(logs, { input: shifted }), depository)[0]?.depositId,
            orderId
          )
        }
      ),
      runs
    )
  })

  it("a lone Transfer: calldata for another amount or recipient, or a word that begins with 16 zero bytes, gives no id", () => {
    fc.assert(
      fc.property(account, account, fc.bigInt({ min: 1n, max: 2n ** 128n }), id, (payer, token, value, orderId) => {
        fc.pre(token !== depository && payer !== depository)
        const logs = [transfer(token, payer, here, value)]
        const calls = [
          concat([transferCall(here, value + 1n), orderId]),
          concat([transferCall(payer, value), orderId]),
          concat([transferCall(here, value), pad("0x01", { size: 32 })]),
          transferCall(here, value)
        ]
        for (const input of calls) {
          assert.strictEqual<string | undefined>(
            depositsOf(transaction(logs, { input: Hex.make(input) }), depository)[0]?.depositId,
            ZERO
          )
        }
        // With a second Transfer into the depository it is unknown which one the calldata means.
        const input = Hex.make(concat([transferCall(here, value), orderId]))
        const two = depositsOf(transaction([...logs, ...logs], { input }), depository)
        assert.deepStrictEqual(two.map(({ depositId }) => String(depositId)), [ZERO, ZERO])
      }),
      runs
    )
  })

  it("a mirror of native currency is no deposit, but a Transfer beside others", () => {
    fc.assert(
      fc.property(
        account,
        account,
        amount,
        id,
        fc.constantFrom(mirror, systemMirror),
        (payer, token, value, orderId, by) => {
          fc.pre(token !== depository && token !== mirror && token !== systemMirror)
          const mirrored = transfer(by, payer, here, value)
          assert.lengthOf(depositsOf(transaction([mirrored]), depository), 0)
          assert.lengthOf(depositsOf(transaction([mirrored, native(payer, value, orderId)]), depository), 1)
          const input = Hex.make(concat([transferCall(here, value), orderId]))
          const [deposit] = depositsOf(
            transaction([mirrored, transfer(token, payer, here, value)], { input }),
            depository
          )
          assert.strictEqual<string | undefined>(deposit?.depositId, ZERO)
        }
      ),
      runs
    )
  })

  it("of any garbage: only what reached the depository, and never a throw, also for a mebibyte of calldata", () => {
    const topic = fc.oneof(fc.constantFrom(...Object.values(topics)), id, fc.string({ maxLength: 80 }))
    const data = fc.uint8Array({ maxLength: 300 }).map((array): Text => `0x${Buffer.from(array).toString("hex")}`)
    const logs = fc.array(
      fc.record({
        address: fc.constantFrom(depository, mirror, systemMirror, `0x${"77".repeat(20)}`),
        topics: fc.array(topic, { maxLength: 5 }),
        data
      }),
      { maxLength: 6 }
    )
    fc.assert(
      fc.property(logs, data, (some, input) => {
        const made = transaction(some.map((each) => log(each.address, each.topics, each.data)), {
          input: Hex.make(input)
        })
        for (const deposit of depositsOf(made, depository)) assert.strictEqual(deposit.depository, depository)
        for (const call of routerCallsOf(made, { router: Address.make(mirror) })) assert.isAtLeast(call.data.length, 2)
        paymentsOf(made, { depository, router: Address.make(mirror) })
      }),
      { numRuns: inputs(20_000, 1_000_000) }
    )
    const hostile = Hex.make(`0x${"a9059cbb".repeat(131_072)}${"23b872dd".repeat(131_072)}`)
    const made = transaction([transfer(`0x${"77".repeat(20)}`, here, here, 1n)], { input: hostile })
    assert.lengthOf(depositsOf(made, depository), 1)
  })
})

describe("payments of an EVM transaction", () => {
  const recipient = `0x${"c0".repeat(20)}` as const

  it("plain native: the input is the order id; with a prefix the value is no payment", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 2n ** 128n }), id, (value, orderId) => {
        const paid = transaction([], { to: Address.make(recipient), value, input: Hex.make(orderId) })
        assert.deepStrictEqual<unknown>(paymentsOf(paid, { depository, router: undefined }), [{
          recipient,
          currency: `0x${"0".repeat(40)}`,
          amount: value,
          through: { _tag: "Direct" }
        }])
        assert.deepStrictEqual<unknown>(orderIdsOf(paid), [orderId])
        const called = transaction([], {
          to: Address.make(recipient),
          value,
          input: Hex.make(concat(["0x12345678", orderId]))
        })
        assert.lengthOf(paymentsOf(called, { depository, router: undefined }), 0)
        assert.deepStrictEqual<unknown>(orderIdsOf(called), [orderId])
        assert.lengthOf(orderIdsOf(transaction([], { input: Hex.make("0x1234") })), 0)
      }),
      runs
    )
  })

  it("tokens by their Transfers, native currency and calls by a router's events, in the order of the logs", () => {
    fc.assert(
      fc.property(account, account, amount, fc.uint8Array({ maxLength: 100 }), (router, token, value, raw) => {
        const data: Text = `0x${Buffer.from(raw).toString("hex")}`
        const paid = transaction([
          transfer(token, router, recipient, value),
          event(
            router,
            "SolverNativeTransfer",
            encodeAbiParameters([{ type: "address" }, { type: "uint256" }], [recipient, value])
          ),
          event(
            router,
            "SolverCallExecuted",
            encodeAbiParameters([{ type: "address" }, { type: "bytes" }, { type: "uint256" }], [token, data, value])
          )
        ])
        assert.deepStrictEqual<unknown>(paymentsOf(paid, { depository, router: Address.make(router) }), [
          { recipient, currency: token, amount: value, through: { _tag: "Direct" } },
          { recipient, currency: `0x${"0".repeat(40)}`, amount: value, through: { _tag: "Router", router } }
        ])
        assert.deepStrictEqual<unknown>(routerCallsOf(paid, { router: Address.make(router) }), [{
          router,
          to: token,
          data,
          value
        }])
        // Without a router, or for another router, no router events count.
        for (const other of [undefined, depository]) {
          assert.lengthOf(paymentsOf(paid, { depository, router: other }), 1)
          assert.lengthOf(routerCallsOf(paid, { router: other }), 0)
        }
      }),
      runs
    )
  })

  it("a payout is no payment: tokens that leave the depository count for no recipient, whatever else the transaction pays", () => {
    const paying = fc.record({
      from: fc.oneof(account, fc.constant(here)),
      to: fc.constantFrom(recipient, here),
      token: account,
      value: amount
    })
    fc.assert(
      fc.property(fc.array(paying, { maxLength: 6 }), id, (all, orderId) => {
        const input = Hex.make(concat(["0x12345678", orderId]))
        const made = (some: typeof all) =>
          paymentsOf(
            transaction(some.map(({ from, to, token, value }) => transfer(token, from, to, value)), { input }),
            { depository, router: undefined }
          )
        const others = all.filter(({ from }) => from !== here)
        assert.deepStrictEqual(made(all), made(others))
        assert.lengthOf(made(all), others.length)
      }),
      runs
    )
  })
})
