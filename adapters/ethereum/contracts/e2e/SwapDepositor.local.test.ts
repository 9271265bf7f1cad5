/** The SwapDepositor on a chain: what it deposits, and every way to steal another user's money through it. */
import { assert, beforeEach, describe, it } from "@effect/vitest"
import type { Address, Hex } from "viem"
import { encodeDeployData, encodeFunctionData, erc20Abi, getContractAddress, maxUint256 } from "viem"
import { depositsOf } from "../../../../src/domain/families/ethereum/evidence/Deposits.ts"
import { orderIdsOf } from "../../../../src/domain/families/ethereum/evidence/Payments.ts"
import { OrderId } from "../../../../src/domain/order/Order.ts"
import { evmTransaction } from "../../decode/EvmTransaction.ts"
import { abi as marketAbi, bytecode as marketCode } from "../artifacts/Market.ts"
import { abi as oddAbi, bytecode as oddCode } from "../artifacts/OddToken.ts"
import { abi, bytecode } from "../artifacts/SwapDepositor.ts"
import { abi as wethAbi } from "../artifacts/TestWETH.ts"
import { forcePayment } from "../testing/Factory.ts"
import { account } from "../testing/Permits.ts"
import { approve, assertEmpty, play, run, sweep, transferFrom } from "../testing/Robberies.ts"
import { event, eventsOf, NATIVE, useFixture } from "../testing/Fixture.ts"

const fixture = useFixture(616178)
const ORDER: Hex = `0x${"0d".repeat(32)}`
const AMOUNT = 5_000000n
const OUT = 4_900000n

let depositor: Address
let market: Address

beforeEach(async () => {
  const { create, deployer, depository, mint, thief, usdt } = fixture()
  depositor = await create(deployer, encodeDeployData({ abi, bytecode, args: [depository] }))
  market = await create(thief, marketCode)
  await mint(usdt, market, 100_000000n)
})

interface Swap {
  readonly input: Address
  readonly amount: bigint
  readonly output: Address
  readonly minimum: bigint
  readonly orderId: Hex
  readonly router: Address
  readonly data: Hex
}

const trade = (input: Address, amount: bigint, output: Address, out: bigint): Hex =>
  encodeFunctionData({ abi: marketAbi, functionName: "swap", args: [input, amount, output, out] })

const swapOf = (changes: Partial<Swap> = {}): Swap => {
  const { usdc, usdt } = fixture()
  return {
    input: usdc,
    amount: AMOUNT,
    output: usdt,
    minimum: OUT,
    orderId: ORDER,
    router: market,
    data: trade(usdc, AMOUNT, usdt, OUT),
    ...changes
  }
}
const dataOf = (changes: Partial<Swap> = {}) =>
  encodeFunctionData({ abi, functionName: "swapAndDeposit", args: [swapOf(changes)] })
const allow = (of: Address, token: Address, amount = AMOUNT) => fixture().send(of, token, approve(depositor, amount))
const allowance = (token: Address, owner: Address, spender: Address) =>
  fixture().client.readContract({ address: token, abi: erc20Abi, functionName: "allowance", args: [owner, spender] })
const refusal = (of: Address, changes: Partial<Swap> = {}, value = 0n) =>
  fixture().refusal(of, depositor, dataOf(changes), value)
const nextExecutor = async () =>
  getContractAddress({
    from: depositor,
    nonce: BigInt(await fixture().client.getTransactionCount({ address: depositor }))
  })

describe("the SwapDepositor", () => {
  it("deposits all output for its sender and the order, and leaves no balance or allowance behind", async () => {
    const s = fixture()
    const executor = await nextExecutor()
    const before = await s.balance(s.usdc, s.user)
    await allow(s.user, s.usdc)
    const receipt = await s.send(s.user, depositor, dataOf({ minimum: OUT - 1n }))
    assert.includeMembers([...eventsOf(receipt)], [event("RelayErc20Deposit", s.user, s.usdt, OUT, ORDER)])
    assert.strictEqual(await s.balance(s.usdt, s.depository), OUT)
    assert.strictEqual(before - (await s.balance(s.usdc, s.user)), AMOUNT)
    for (const address of [depositor, executor]) await assertEmpty(s, address)
    for (
      const [owner, spender] of [[s.user, depositor], [depositor, s.depository], [executor, market], [
        depositor,
        market
      ]] as const
    ) {
      for (const token of [s.usdc, s.usdt]) assert.strictEqual(await allowance(token, owner, spender), 0n)
    }
    // As the oracle and the filling decode it.
    const transaction = evmTransaction(await s.client.getTransaction({ hash: receipt.transactionHash }), receipt)
    assert.deepStrictEqual(
      depositsOf(transaction, account(s.depository)).map((
        { amount, currency, depositId, depositor: of }
      ) => [amount, String(currency), depositId, of]),
      [[OUT, account(s.usdt), OrderId.make(ORDER), account(s.user)]]
    )
    // It is not a payment of the order: a payment has the order id at the end of its calldata.
    assert.notInclude([...orderIdsOf(transaction)], ORDER)
  })

  it("accepts native currency, and deposits native currency", async () => {
    const s = fixture()
    const wrap = encodeFunctionData({ abi: wethAbi, functionName: "deposit" })
    const wrapped = await s.send(
      s.user,
      depositor,
      dataOf({ input: NATIVE, amount: 7n, output: s.weth, minimum: 7n, router: s.weth, data: wrap }),
      7n
    )
    assert.include(eventsOf(wrapped), event("RelayErc20Deposit", s.user, s.weth, 7n, ORDER))
    await s.send(s.user, s.weth, wrap, 9n)
    await allow(s.user, s.weth, 9n)
    const unwrap = encodeFunctionData({ abi: wethAbi, functionName: "withdraw", args: [9n] })
    const unwrapped = await s.send(
      s.user,
      depositor,
      dataOf({ input: s.weth, amount: 9n, output: NATIVE, minimum: 9n, router: s.weth, data: unwrap })
    )
    assert.include(eventsOf(unwrapped), event("RelayNativeDeposit", s.user, 9n, ORDER))
    assert.strictEqual(await s.balance(NATIVE, s.depository), 9n)
    await assertEmpty(s, depositor)
  })

  it("returns the input that the router leaves, a token or native", async () => {
    const s = fixture()
    const had = await s.balance(s.usdc, s.user)
    await allow(s.user, s.usdc)
    await s.send(s.user, depositor, dataOf({ data: trade(s.usdc, AMOUNT - 3n, s.usdt, OUT) }))
    assert.strictEqual(had - (await s.balance(s.usdc, s.user)), AMOUNT - 3n)
    // A market for native currency that returns two of seven.
    await s.mint(s.usdt, s.puppet, OUT)
    await s.teach([
      { to: await nextExecutor(), data: "0x", value: 2n },
      { to: s.usdt, data: encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [depositor, OUT] }) }
    ], true)
    const native = await s.balance(NATIVE, s.user)
    const receipt = await s.send(
      s.user,
      depositor,
      dataOf({ input: NATIVE, amount: 7n, router: s.puppet, data: play }),
      7n
    )
    assert.strictEqual(native - (await s.balance(NATIVE, s.user)) - receipt.gasUsed * receipt.effectiveGasPrice, 5n)
    assert.strictEqual(await s.balance(s.usdt, s.depository), 2n * OUT)
  })

  it("reverts below the minimum, or with no output at any minimum, and moves nothing", async () => {
    const s = fixture()
    await allow(s.user, s.usdc)
    assert.strictEqual(await refusal(s.user, { minimum: OUT + 1n }), "TooLittle")
    assert.strictEqual(await refusal(s.user, { minimum: 0n, data: trade(s.usdc, AMOUNT, s.usdt, 0n) }), "TooLittle")
    // A call to an account without code always succeeds.
    assert.strictEqual(await refusal(s.user, { minimum: 0n, router: s.stranger }), "TooLittle")
    const had = await s.balance(s.usdc, s.user)
    const receipt = await s.transact(s.user, { to: depositor, data: dataOf({ minimum: OUT + 1n }) })
    assert.strictEqual(receipt.status, "reverted")
    assert.deepStrictEqual([await s.balance(s.usdc, s.user), await s.balance(s.usdt, s.depository)], [had, 0n])
  })

  it("deposits for the contract that calls, not for the transaction's sender", async () => {
    const s = fixture()
    await s.mint(s.usdc, s.puppet, AMOUNT)
    await s.teach([{ to: s.usdc, data: approve(depositor, AMOUNT) }, { to: depositor, data: dataOf() }], true)
    const receipt = await s.send(s.user, s.puppet, play)
    assert.include(eventsOf(receipt), event("RelayErc20Deposit", s.puppet, s.usdt, OUT, ORDER))
  })

  it("takes exactly the requested amount: another value, too small an allowance, or equal currencies are refused", async () => {
    const s = fixture()
    assert.strictEqual(await refusal(s.user), "ERC20InsufficientAllowance")
    await allow(s.user, s.usdc)
    assert.strictEqual(await refusal(s.user, {}, 1n), "WrongValue")
    assert.strictEqual(
      await refusal(s.user, { input: NATIVE, amount: 7n, output: s.weth, router: s.weth }, 6n),
      "WrongValue"
    )
    assert.strictEqual(await refusal(s.user, { output: s.usdc }), "SameCurrency")
    assert.strictEqual(await s.refusal(s.user, depositor, "0x", 1n), "NotSwapping")
  })

  it("a thief cannot use another's allowance, with any router, input or output", async () => {
    const s = fixture()
    await allow(s.user, s.usdc, maxUint256)
    const steal = transferFrom(s.user, s.thief, AMOUNT)
    for (
      const changes of [
        { router: s.usdc, data: steal },
        { input: NATIVE, amount: 0n, router: s.usdc, data: steal },
        { input: NATIVE, amount: 0n, router: depositor, data: dataOf() },
        { router: await nextExecutor(), data: run(s.thief, 0n) },
        { router: s.usdc, data: approve(s.thief, maxUint256) }
      ]
    ) {
      await s.refusal(s.thief, depositor, dataOf({ amount: 0n, ...changes }))
    }
    assert.strictEqual(await s.balance(s.usdc, s.thief), 0n)
    assert.strictEqual(await s.balance(s.usdc, s.user), 1_000_000_000000n)
  })

  it("a market that lets a thief in gives them none of the user's money, and no way to re-enter", async () => {
    const s = fixture()
    const executor = await nextExecutor()
    const template = await s.client.readContract({ address: depositor, abi, functionName: "EXECUTOR" })
    const acts = [
      ...[s.user, depositor, executor, s.depository].flatMap((
        of
      ) => [{ to: s.usdc, data: transferFrom(of, s.thief, 1n) }, { to: s.usdt, data: transferFrom(of, s.thief, 1n) }]),
      ...[executor, template].flatMap((to) => [{ to, data: sweep(s.usdc, s.thief) }, { to, data: run(s.thief, 0n) }]),
      { to: depositor, data: dataOf() },
      { to: depositor, data: dataOf({ input: NATIVE, amount: 0n, minimum: 0n }) }
    ]
    await s.teach(acts)
    await s.send(s.thief, market, encodeFunctionData({ abi: marketAbi, functionName: "letIn", args: [s.puppet] }))
    await allow(s.user, s.usdc, maxUint256)
    const receipt = await s.send(s.user, depositor, dataOf())
    assert.include(eventsOf(receipt), event("RelayErc20Deposit", s.user, s.usdt, OUT, ORDER))
    assert.deepStrictEqual([(await s.played()).succeeded, (await s.played()).failed], [0n, BigInt(acts.length)])
    assert.strictEqual((await s.played()).reason, "ReentrancyGuardReentrantCall")
    for (const token of [s.usdc, s.usdt]) {
      assert.deepStrictEqual([await s.balance(token, s.thief), await s.balance(token, s.puppet)], [0n, 0n])
    }
  })

  it("an executor that approved a thief is never used again", async () => {
    const s = fixture()
    const first = await nextExecutor()
    // The thief's own swap: the executor approves the puppet for everything that it will ever hold, and pays out a unit
    // that was there before.
    await s.mint(s.usdc, s.thief, 1n)
    await s.mint(s.usdt, first, 1n)
    await allow(s.thief, s.usdc, 1n)
    await s.send(
      s.thief,
      depositor,
      dataOf({ amount: 1n, minimum: 1n, router: s.usdc, data: approve(s.puppet, maxUint256) })
    )
    assert.strictEqual(await allowance(s.usdc, first, s.puppet), maxUint256, "the attack is set up")
    const spoilt = [first, await nextExecutor()]
    assert.notStrictEqual(spoilt[0], spoilt[1])
    await s.teach(spoilt.map((of) => ({ to: s.usdc, data: transferFrom(of, s.thief, 1n) })))
    await s.send(s.thief, market, encodeFunctionData({ abi: marketAbi, functionName: "letIn", args: [s.puppet] }))
    await allow(s.user, s.usdc)
    await s.send(s.user, depositor, dataOf())
    assert.deepStrictEqual([(await s.played()).succeeded, (await s.played()).failed], [0n, 2n])
  })

  it("tokens left in it enter no deposit and count towards no minimum", async () => {
    const s = fixture()
    await s.mint(s.usdt, depositor, 7n)
    await s.transact(s.thief, { data: forcePayment(depositor), value: 5n })
    assert.strictEqual(await s.balance(NATIVE, depositor), 5n)
    await allow(s.user, s.usdc)
    assert.strictEqual(await refusal(s.user, { minimum: OUT + 7n }), "TooLittle")
    const receipt = await s.send(s.user, depositor, dataOf())
    assert.include(eventsOf(receipt), event("RelayErc20Deposit", s.user, s.usdt, OUT, ORDER))
    await allow(s.user, s.usdc)
    assert.strictEqual(
      await refusal(s.user, { output: NATIVE, minimum: 1n, data: trade(s.usdc, AMOUNT, s.usdt, 0n) }),
      "TooLittle"
    )
    assert.deepStrictEqual([await s.balance(s.usdt, depositor), await s.balance(NATIVE, depositor)], [7n, 5n])
  })

  it("dust sent to the next executor blocks nobody and goes to the sender", async () => {
    const s = fixture()
    const executor = await nextExecutor()
    await s.mint(s.usdc, executor, 2n)
    await s.transact(s.thief, { to: executor, data: "0x", value: 1n })
    const had = await s.balance(s.usdc, s.user)
    await allow(s.user, s.usdc)
    await s.send(s.user, depositor, dataOf())
    assert.strictEqual(had - (await s.balance(s.usdc, s.user)), AMOUNT - 2n)
    // A sender that cannot receive native currency can swap tokens too: the wei stays at the executor.
    assert.strictEqual(await s.balance(NATIVE, executor), 1n)
  })

  it("dust at the next executor does not block a contract that swaps native currency and accepts none; change does", async () => {
    const s = fixture()
    const wrap = encodeFunctionData({ abi: wethAbi, functionName: "deposit" })
    const data = dataOf({ input: NATIVE, amount: 7n, output: s.weth, minimum: 7n, router: s.weth, data: wrap })
    const executor = await nextExecutor()
    await s.transact(s.thief, { to: executor, data: "0x", value: 3n })
    await s.client.setBalance({ address: s.refuser, value: 10n ** 18n })
    await s.client.impersonateAccount({ address: s.refuser })
    const receipt = await s.client.waitForTransactionReceipt({
      hash: await s.client.sendUnsignedTransaction({ from: s.refuser, to: depositor, data, value: 7n })
    })
    await s.client.stopImpersonatingAccount({ address: s.refuser })
    assert.include(eventsOf(receipt), event("RelayErc20Deposit", s.refuser, s.weth, 7n, ORDER))
    assert.strictEqual(await s.balance(NATIVE, executor), 3n)
    // The router's change belongs to the sender, so the swap fails when the sender cannot receive it.
    await s.mint(s.usdt, s.puppet, OUT)
    await s.teach([
      { to: await nextExecutor(), data: "0x", value: 2n },
      { to: s.usdt, data: encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [depositor, OUT] }) }
    ], true)
    assert.strictEqual(
      await s.refusal(s.refuser, depositor, dataOf({ input: NATIVE, amount: 7n, router: s.puppet, data: play }), 7n),
      "Refused"
    )
  })

  it("a token that takes a fee of its transfers is refused on either side", async () => {
    const s = fixture()
    const odd = await s.create(s.deployer, encodeDeployData({ abi: oddAbi, bytecode: oddCode, args: [100n] }))
    await s.mint(odd, s.user, AMOUNT)
    await s.mint(odd, market, 10n * AMOUNT)
    await allow(s.user, odd)
    assert.strictEqual(await refusal(s.user, { input: odd, data: trade(odd, AMOUNT, s.usdt, OUT) }), "NotTaken")
    await allow(s.user, s.usdc)
    assert.strictEqual(
      await refusal(s.user, { output: odd, minimum: 1n, data: trade(s.usdc, AMOUNT, odd, OUT) }),
      "NotDeposited"
    )
  })

  it("a hostile token on either side cannot enter twice", async () => {
    const s = fixture()
    const odd = await s.create(s.deployer, encodeDeployData({ abi: oddAbi, bytecode: oddCode, args: [0n] }))
    await s.mint(odd, s.user, AMOUNT)
    await s.mint(odd, market, AMOUNT)
    const hooks = (before: Address, after: Address) =>
      s.send(s.deployer, odd, encodeFunctionData({ abi: oddAbi, functionName: "setHooks", args: [before, after] }))
    await allow(s.user, odd, maxUint256)
    await allow(s.user, s.usdc, maxUint256)
    for (
      const changes of [{ input: odd, data: trade(odd, AMOUNT, s.usdt, OUT) }, {
        output: odd,
        data: trade(s.usdc, AMOUNT, odd, OUT)
      }]
    ) {
      for (const [before, after] of [[s.puppet, NATIVE], [NATIVE, s.puppet]] as const) {
        const snapshot = await s.client.snapshot()
        await hooks(before, after)
        await s.teach([{ to: depositor, data: dataOf() }, { to: depositor, data: dataOf(changes) }, {
          to: s.usdc,
          data: transferFrom(depositor, s.thief, 1n)
        }])
        const receipt = await s.send(s.user, depositor, dataOf(changes))
        assert.isTrue(eventsOf(receipt).some((each) => each.startsWith("RelayErc20Deposit")))
        assert.deepStrictEqual([(await s.played()).succeeded, (await s.played()).failed], [0n, 3n])
        await assertEmpty(s, depositor)
        await s.client.revert({ id: snapshot })
      }
    }
  })
})
