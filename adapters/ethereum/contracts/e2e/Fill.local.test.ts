import { assert, describe, it } from "@effect/vitest"
import type { Address } from "viem"
import { encodeFunctionData, erc20Abi, slice } from "viem"
import { abi as marketAbi, bytecode as marketCode } from "../artifacts/Market.ts"
import { abi as refuserAbi } from "../artifacts/Refuser.ts"
import { abi as wethAbi } from "../artifacts/TestWETH.ts"
import { abi as vaultAbi } from "../artifacts/Vault.ts"
import type { FillOf } from "../testing/Fixture.ts"
import { event, eventsOf, fillData, NATIVE, useFixture, word } from "../testing/Fixture.ts"

const fixture = useFixture()

const ALICE: Address = "0x00000000000000000000000000000000000000a1"
const BOB: Address = "0x00000000000000000000000000000000000000b0"

const fill = (fill: FillOf, value = 0n) => fixture().send(fixture().solver, fixture().vault, fillData(fill), value)
const refused = (fill: FillOf) => fixture().refusal(fixture().solver, fixture().vault, fillData(fill))
const balances = (of: Address) => {
  const { balance, usdc, usdt, weth } = fixture()
  return Promise.all([NATIVE, usdc, usdt, weth].map((token) => balance(token, of)))
}
const transfer = (to: Address, amount: bigint) =>
  encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [to, amount] })
const approve = (spender: Address, amount: bigint) =>
  encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [spender, amount] })

describe("fill: payments", () => {
  it("pays native currency and tokens to several recipients, all in one transaction", async () => {
    const { router, vault, usdc, usdt } = fixture()
    const receipt = await fill({
      payments: [[ALICE, NATIVE, 5n], [BOB, usdc, 6n], [ALICE, usdt, 7n], [BOB, NATIVE, 8n]]
    })
    assert.deepStrictEqual(eventsOf(receipt), [
      event("Transfer", vault, BOB, 6n),
      event("Transfer", vault, ALICE, 7n),
      event("SolverNativeTransfer", ALICE, 5n),
      event("SolverNativeTransfer", BOB, 8n)
    ])
    const native = receipt.logs.filter((log) => log.address === router)
    assert.deepStrictEqual(native.map((log) => log.topics.length), [1, 1])
    assert.deepStrictEqual(await balances(ALICE), [5n, 0n, 7n, 0n])
    assert.deepStrictEqual(await balances(BOB), [8n, 6n, 0n, 0n])
    assert.deepStrictEqual(await balances(router), [0n, 0n, 0n, 0n])
  })

  it("several payments to one recipient in one currency are each made, each with its event", async () => {
    const { usdc, vault } = fixture()
    const receipt = await fill({
      payments: [[ALICE, NATIVE, 5n], [ALICE, NATIVE, 5n], [ALICE, usdc, 6n], [ALICE, usdc, 6n]]
    })
    assert.deepStrictEqual(eventsOf(receipt), [
      event("Transfer", vault, ALICE, 6n),
      event("Transfer", vault, ALICE, 6n),
      event("SolverNativeTransfer", ALICE, 5n),
      event("SolverNativeTransfer", ALICE, 5n)
    ])
    assert.deepStrictEqual(await balances(ALICE), [10n, 12n, 0n, 0n])
  })

  it("the transaction's data must end with the order id, otherwise it is refused", async () => {
    const { client, refusal, solver, vault, usdc } = fixture()
    const of: FillOf = { orderId: word(9), payments: [[ALICE, usdc, 1n]] }
    const data = fillData(of)
    assert.strictEqual(await refusal(solver, vault, slice(data, 0, -32)), "OrderIdMissing")
    assert.strictEqual(await refusal(solver, vault, `${data}00`), "OrderIdMissing")
    const { transactionHash } = await fill(of)
    const { input } = await client.getTransaction({ hash: transactionHash })
    assert.strictEqual(slice(input, -32), word(9))
  })

  it("a leg of an order is paid only once; other legs and other orders are independent", async () => {
    const { usdc } = fixture()
    const payments = [[ALICE, usdc, 1n]] as const
    await fill({ orderId: word(1), payments })
    assert.strictEqual(await refused({ orderId: word(1), payments: [[BOB, NATIVE, 1n]] }), "LegPaid")
    await fill({ orderId: word(1), leg: 1n, payments })
    await fill({ orderId: word(2), payments })
    assert.strictEqual(await refused({ orderId: word(1), leg: 1n, payments }), "LegPaid")
  })

  it("a fill that failed may be tried again", async () => {
    const { usdc, transact, solver, vault, client } = fixture()
    await client.setBalance({ address: vault, value: 0n })
    const of: FillOf = { payments: [[ALICE, usdc, 1n], [ALICE, NATIVE, 1n]] }
    assert.strictEqual((await transact(solver, { to: vault, data: fillData(of) })).status, "reverted")
    assert.deepStrictEqual(await balances(ALICE), [0n, 0n, 0n, 0n])
    await client.setBalance({ address: vault, value: 1n })
    await fill(of)
    assert.deepStrictEqual(await balances(ALICE), [1n, 1n, 0n, 0n])
  })

  it("native currency may be sent with the transaction", async () => {
    const { client, vault, balance } = fixture()
    await client.setBalance({ address: vault, value: 3n })
    await fill({ payments: [[ALICE, NATIVE, 5n]] }, 4n)
    assert.strictEqual(await balance(NATIVE, ALICE), 5n)
    assert.strictEqual(await balance(NATIVE, vault), 2n)
  })

  it("all or nothing: if one recipient refuses or one token is missing, nobody is paid", async () => {
    const { refuser, usdc, usdt } = fixture()
    const good = [[ALICE, usdc, 1n], [ALICE, NATIVE, 1n]] as const
    assert.strictEqual(await refused({ payments: [...good, [refuser, NATIVE, 1n]] }), "Refused")
    assert.strictEqual(await refused({ payments: [...good, [BOB, usdc, 10n ** 30n]] }), "ERC20InsufficientBalance")
    assert.strictEqual(await refused({ payments: [...good, [BOB, usdt, 10n ** 30n]] }), "TooLittle")
    assert.strictEqual(await refused({ payments: [...good, [BOB, NATIVE, 10n ** 30n]] }), "(no reason)")
    assert.strictEqual(await refused({ payments: [...good, [NATIVE, usdc, 1n]] }), "ZeroAddress")
    assert.deepStrictEqual(await balances(ALICE), [0n, 0n, 0n, 0n])
  })
})

describe("fill: calls", () => {
  it("native: the router is paid, calls run in order with their values, the rest goes to the recipient", async () => {
    const { router, nextExecutor, weth } = fixture()
    const deposit = encodeFunctionData({ abi: wethAbi, functionName: "deposit" })
    const executor = await nextExecutor()
    const receipt = await fill({
      payments: [[router, NATIVE, 100n], [BOB, NATIVE, 9n]],
      calls: [
        { to: weth, data: deposit, value: 60n },
        { to: weth, data: transfer(ALICE, 50n) },
        { to: BOB, data: "0x1234", value: 7n }
      ],
      leftovers: [weth],
      recipient: ALICE
    })
    assert.deepStrictEqual(eventsOf(receipt), [
      event("SolverNativeTransfer", router, 100n),
      event("SolverNativeTransfer", BOB, 9n),
      event("SolverCallExecuted", weth, deposit, 60n),
      event("Transfer", executor, ALICE, 50n),
      event("SolverCallExecuted", weth, transfer(ALICE, 50n), 0n),
      event("SolverCallExecuted", BOB, "0x1234", 7n),
      event("Transfer", executor, ALICE, 10n)
    ])
    assert.deepStrictEqual(await balances(ALICE), [33n, 0n, 0n, 60n])
    assert.deepStrictEqual(await balances(BOB), [16n, 0n, 0n, 0n])
    for (const empty of [router, executor]) assert.deepStrictEqual(await balances(empty), [0n, 0n, 0n, 0n])
  })

  it("tokens: the router is paid, the executor swaps, both what is left and what came out go to the recipient", async () => {
    const { router, vault, nextExecutor, create, mint, thief, usdc, usdt } = fixture()
    const market = await create(thief, marketCode)
    await mint(usdt, market, 1000n)
    const executor = await nextExecutor()
    const swap = encodeFunctionData({ abi: marketAbi, functionName: "swap", args: [usdc, 80n, usdt, 79n] })
    const receipt = await fill({
      payments: [[router, usdc, 100n]],
      calls: [{ to: usdc, data: approve(market, 80n) }, { to: market, data: swap }],
      leftovers: [usdt, usdt, usdc],
      recipient: ALICE
    })
    assert.includeMembers([...eventsOf(receipt)], [event("Transfer", vault, router, 100n)])
    assert.deepStrictEqual(await balances(ALICE), [0n, 20n, 79n, 0n])
    for (const empty of [router, executor]) assert.deepStrictEqual(await balances(empty), [0n, 0n, 0n, 0n])
  })

  it("currency unwrapped by a call and sent with 2300 gas reaches the recipient", async () => {
    const { router, vault, weth, client, send, user } = fixture()
    await send(user, weth, encodeFunctionData({ abi: wethAbi, functionName: "deposit" }), 50n)
    await send(user, weth, transfer(vault, 50n))
    await fill({
      payments: [[router, weth, 50n]],
      calls: [{ to: weth, data: encodeFunctionData({ abi: wethAbi, functionName: "withdraw", args: [30n] }) }],
      recipient: ALICE
    })
    assert.deepStrictEqual(await balances(ALICE), [30n, 0n, 0n, 20n])
    assert.strictEqual(await client.getBalance({ address: router }), 0n)
  })

  it("a call that fails reverts everything and reports which call and why", async () => {
    const { router, usdc, refuser } = fixture()
    const refuse = encodeFunctionData({ abi: refuserAbi, functionName: "refuse" })
    const payments = [[BOB, usdc, 1n], [router, NATIVE, 5n]] as const
    const of = (to: Address, data: `0x${string}`, value = 0n): FillOf => ({
      payments,
      calls: [{ to: BOB, data: "0x", value: 1n }, { to, data, value }],
      recipient: ALICE
    })
    assert.strictEqual(await refused(of(refuser, refuse)), "CallFailed:Refused")
    assert.strictEqual(await refused(of(BOB, "0x", 5n)), "CallFailed:(no reason)")
    assert.deepStrictEqual(await balances(BOB), [0n, 0n, 0n, 0n])
  })

  it("a failure reason of a megabyte is cut short", async () => {
    const { router, refuser, client, solver, vault } = fixture()
    const bomb = encodeFunctionData({ abi: refuserAbi, functionName: "bomb" })
    const data = fillData({ payments: [[router, NATIVE, 5n]], calls: [{ to: refuser, data: bomb }], recipient: ALICE })
    const error = await client.call({ account: solver, to: vault, data }).then(() => "", String)
    assert.isAbove(error.length, 0)
    assert.isBelow(error.length, 10_000)
  })

  it("a recipient that refuses the leftover, or could not keep it, reverts everything", async () => {
    const { router, refuser, nextExecutor, usdc } = fixture()
    const of = (recipient: Address): FillOf => ({
      payments: [[router, NATIVE, 5n], [BOB, usdc, 1n]],
      calls: [{ to: BOB, data: "0x", value: 1n }],
      recipient
    })
    assert.strictEqual(await refused(of(refuser)), "Refused")
    for (const nobody of [NATIVE, router, await nextExecutor()]) {
      assert.strictEqual(await refused(of(nobody)), "RecipientRefused")
    }
    assert.deepStrictEqual(await balances(BOB), [0n, 0n, 0n, 0n])
  })

  it("a payment to the router without calls, which nobody would receive, is refused in every currency", async () => {
    const { router, usdc } = fixture()
    for (const token of [NATIVE, usdc]) {
      assert.strictEqual(await refused({ payments: [[router, token, 5n]], recipient: ALICE }), "NoCallsToFund")
    }
  })

  it("calls may run unfunded", async () => {
    const receipt = await fill({ calls: [{ to: BOB, data: "0xabcd" }], recipient: ALICE })
    assert.deepStrictEqual(eventsOf(receipt), [event("SolverCallExecuted", BOB, "0xabcd", 0n)])
  })
})

describe("Vault: who may what", () => {
  const write = {
    operator: (account: Address, allowed: boolean) =>
      encodeFunctionData({ abi: vaultAbi, functionName: "setOperator", args: [account, allowed] }),
    withdraw: (token: Address, to: Address, amount: bigint) =>
      encodeFunctionData({ abi: vaultAbi, functionName: "withdraw", args: [token, to, amount] })
  }

  it("only operators fill, and the owner says who is one", async () => {
    const { owner, solver, stranger, thief, vault, usdc, send, refusal } = fixture()
    const data = fillData({ payments: [[ALICE, usdc, 1n]] })
    for (const nobody of [owner, stranger, thief]) {
      assert.strictEqual(await refusal(nobody, vault, data), "NotAnOperator")
    }
    assert.strictEqual(await refusal(solver, vault, write.operator(thief, true)), "OwnableUnauthorizedAccount")
    assert.strictEqual(await refusal(owner, vault, write.operator(NATIVE, true)), "ZeroAddress")
    await send(owner, vault, write.operator(stranger, true))
    await send(stranger, vault, data)
    await send(owner, vault, write.operator(solver, false))
    assert.strictEqual(await refusal(solver, vault, fillData({ orderId: word(2) })), "NotAnOperator")
  })

  it("only the owner withdraws; anybody may add", async () => {
    const { owner, solver, user, vault, usdc, usdt, send, refusal, balance } = fixture()
    await send(user, vault, "0x", 5n)
    for (const token of [NATIVE, usdc, usdt]) {
      assert.strictEqual(await refusal(solver, vault, write.withdraw(token, solver, 1n)), "OwnableUnauthorizedAccount")
      assert.strictEqual(await refusal(owner, vault, write.withdraw(token, NATIVE, 1n)), "ZeroAddress")
      await send(owner, vault, write.withdraw(token, ALICE, 3n))
      assert.strictEqual(await balance(token, ALICE), 3n)
    }
  })
})
