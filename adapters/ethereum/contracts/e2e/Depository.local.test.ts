/** The depository takes deposits by the functions of EVM-2, each for exactly what arrived. */
import { assert, describe, it } from "@effect/vitest"
import type { Address, Hex } from "viem"
import { encodeDeployData, encodeFunctionData, erc20Abi, toHex } from "viem"
import { abi } from "../artifacts/Depository.ts"
import { abi as oddAbi, bytecode as oddCode } from "../artifacts/OddToken.ts"
import { event, eventsOf, NATIVE, useFixture, word } from "../testing/Fixture.ts"

const fixture = useFixture()
const ID = word(77)

const depositErc20 = (depositor: Address, token: Address, amount: bigint, id: Hex = ID) =>
  encodeFunctionData({ abi, functionName: "depositErc20", args: [depositor, token, amount, id] })
const depositNative = (depositor: Address, id: Hex = ID) =>
  encodeFunctionData({ abi, functionName: "depositNative", args: [depositor, id] })
const approve = (spender: Address, amount: bigint) =>
  encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [spender, amount] })

/** A hostile token. The user and the puppet have 1,000 each, and have approved all of it for the depository. */
const oddToken = async (feeBps: bigint): Promise<Address> => {
  const { create, mint, send, teach, thief, user, puppet, depository } = fixture()
  const odd = await create(thief, encodeDeployData({ abi: oddAbi, bytecode: oddCode, args: [feeBps] }))
  await mint(odd, user, 1000n)
  await mint(odd, puppet, 1000n)
  await send(user, odd, approve(depository, 1000n))
  await teach([{ to: odd, data: approve(depository, 1000n) }], true)
  await send(thief, puppet, "0x")
  return odd
}

describe("Depository: deposits", () => {
  it("a native deposit is one event of depositor, amount and id, nothing indexed", async () => {
    const { send, balance, user, stranger, depository } = fixture()
    const receipt = await send(user, depository, depositNative(stranger), 5n)
    assert.deepStrictEqual(eventsOf(receipt), [event("RelayNativeDeposit", stranger, 5n, ID)])
    assert.strictEqual(receipt.logs[0]?.topics.length, 1)
    assert.strictEqual(receipt.logs[0]?.data.length, 2 + 3 * 64)
    assert.strictEqual(await balance(NATIVE, depository), 5n)
  })

  it("a token deposit is the Transfer, then the event, nothing indexed; USDT, which returns nothing, too", async () => {
    const { send, user, stranger, depository, usdc, usdt, balance } = fixture()
    for (const token of [usdc, usdt]) {
      await send(user, token, approve(depository, 7n))
      const receipt = await send(user, depository, depositErc20(stranger, token, 7n))
      assert.deepStrictEqual(eventsOf(receipt), [
        event("Transfer", user, depository, 7n),
        event("RelayErc20Deposit", stranger, token, 7n, ID)
      ])
      assert.strictEqual(receipt.logs[1]?.topics.length, 1)
      assert.strictEqual(await balance(token, depository), 7n)
    }
  })

  it("a token that takes a fee: the event has the amount that arrived, like the Transfer into the depository", async () => {
    const { send, user, depository, balance } = fixture()
    const odd = await oddToken(100n)
    const receipt = await send(user, depository, depositErc20(user, odd, 1000n))
    assert.includeMembers([...eventsOf(receipt)], [
      event("Transfer", user, depository, 990n),
      event("RelayErc20Deposit", user, odd, 990n, ID)
    ])
    assert.strictEqual(await balance(odd, depository), 990n)
  })

  it("a zero amount, a zero depositor, and more than the allowance are refused", async () => {
    const { refusal, user, depository, usdc } = fixture()
    assert.strictEqual(await refusal(user, depository, depositNative(user)), "NothingDeposited")
    assert.strictEqual(await refusal(user, depository, depositNative(NATIVE), 1n), "ZeroAddress")
    assert.strictEqual(await refusal(user, depository, depositErc20(user, usdc, 0n)), "NothingDeposited")
    assert.strictEqual(await refusal(user, depository, depositErc20(NATIVE, usdc, 1n)), "ZeroAddress")
    assert.strictEqual(await refusal(user, depository, depositErc20(user, usdc, 1n)), "ERC20InsufficientAllowance")
    // An address without code, so no token.
    assert.strictEqual(await refusal(user, depository, depositErc20(user, user, 1n)), "(no reason)")
  })

  it("a plain native transfer carries no id and is refused", async () => {
    const { refusal, user, depository } = fixture()
    assert.strictEqual(await refusal(user, depository, "0x", 1n), "DepositWithoutId")
    assert.strictEqual(await refusal(user, depository, toHex("hello"), 1n), "(no reason)")
  })

  it("bytes appended to the call change nothing", async () => {
    const { send, user, depository } = fixture()
    const receipt = await send(user, depository, `${depositNative(user)}${ID.slice(2)}`, 5n)
    assert.deepStrictEqual(eventsOf(receipt), [event("RelayNativeDeposit", user, 5n, ID)])
  })
})

describe("Depository: a token that calls back", () => {
  const deposited = (events: ReadonlyArray<string>) =>
    events.filter((text) => text.startsWith("RelayErc20Deposit")).map((text) => BigInt(text.split(",")[2] ?? "0"))

  for (const moment of ["before", "after"] as const) {
    it(`a deposit inside a deposit, ${moment} the balances move, is refused: nothing is counted twice`, async () => {
      const { send, user, puppet, depository, thief, balance, teach, played } = fixture()
      const odd = await oddToken(0n)
      const hooks = moment === "before" ? [puppet, NATIVE] as const : [NATIVE, puppet] as const
      await teach([{ to: depository, data: depositErc20(thief, odd, 400n) }])
      await send(thief, odd, encodeFunctionData({ abi: oddAbi, functionName: "setHooks", args: hooks }))
      const receipt = await send(user, depository, depositErc20(user, odd, 100n))
      assert.deepStrictEqual(await played(), { succeeded: 0n, failed: 1n, reason: "ReentrancyGuardReentrantCall" })
      assert.deepStrictEqual(deposited(eventsOf(receipt)), [100n])
      assert.strictEqual(await balance(odd, depository), 100n)
    })
  }

  it("a native deposit inside a token deposit is refused", async () => {
    const { send, user, puppet, depository, thief, teach, played } = fixture()
    const odd = await oddToken(0n)
    await teach([{ to: depository, data: depositNative(thief), value: 1n }])
    await send(thief, odd, encodeFunctionData({ abi: oddAbi, functionName: "setHooks", args: [NATIVE, puppet] }))
    await fixture().client.setBalance({ address: puppet, value: 10n })
    await send(user, depository, depositErc20(user, odd, 100n))
    assert.strictEqual((await played()).reason, "ReentrancyGuardReentrantCall")
  })
})
