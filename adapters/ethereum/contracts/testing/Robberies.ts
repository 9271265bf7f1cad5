/**
 * What a thief tries from inside a fill, and what must be untouched afterwards. SECURITY: extend the list with every
 * new contract or function that moves money.
 */
import { assert } from "@effect/vitest"
import type { Address, Hex } from "viem"
import { encodeFunctionData, erc20Abi } from "viem"
import { abi as depositAddressAbi } from "../artifacts/DepositAddress.ts"
import { abi as factoryAbi } from "../artifacts/DepositAddresses.ts"
import { abi as executorAbi } from "../artifacts/Executor.ts"
import { abi as puppetAbi } from "../artifacts/Puppet.ts"
import { abi as routerAbi } from "../artifacts/Router.ts"
import { abi as vaultAbi } from "../artifacts/Vault.ts"
import { setDepository, setOperator as setSweeper, sweepForData } from "./Factory.ts"
import type { Act, Fixture } from "./Fixture.ts"
import { fillData, NATIVE, word } from "./Fixture.ts"

export const implementation = ({ client, router }: Fixture): Promise<Address> =>
  client.readContract({ address: router, abi: routerAbi, functionName: "EXECUTOR" })
export const transferFrom = (from: Address, to: Address, amount: bigint): Hex =>
  encodeFunctionData({ abi: erc20Abi, functionName: "transferFrom", args: [from, to, amount] })
export const approve = (spender: Address, amount: bigint): Hex =>
  encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [spender, amount] })
export const play: Hex = encodeFunctionData({ abi: puppetAbi, functionName: "play" })
export const setOperator = (operator: Address): Hex =>
  encodeFunctionData({ abi: vaultAbi, functionName: "setOperator", args: [operator, true] })
export const sweep = (token: Address, recipient: Address): Hex =>
  encodeFunctionData({ abi: executorAbi, functionName: "sweep", args: [token, recipient] })
export const run = (to: Address, value: bigint): Hex =>
  encodeFunctionData({ abi: executorAbi, functionName: "run", args: [0n, { to, data: "0x", value }] })
export const routerFill = (recipient: Address): Hex =>
  encodeFunctionData({
    abi: routerAbi,
    functionName: "fill",
    args: [{ payments: [], calls: [{ to: recipient, data: "0x", value: 0n }], leftovers: [], recipient }]
  })

/** Every call that a thief might try from inside, in the name of the account that executes it. */
export const robberies = async (fixture: Fixture, executor: Address): Promise<ReadonlyArray<Act>> => {
  const { client, factory, vault, router, depository, solver, thief, user, usdc, usdt } = fixture
  const clone = await implementation(fixture)
  const [orderId, id] = [word(1), word(666)]
  const depositAddress = await client.readContract({
    address: factory,
    abi: factoryAbi,
    functionName: "computeDepositAddress",
    args: [orderId, user]
  })
  const behind = await client.readContract({ address: factory, abi: factoryAbi, functionName: "IMPLEMENTATION" })
  return [
    { to: vault, data: fillData({ orderId: word(666), payments: [[thief, usdc, 1n]] }) },
    { to: vault, data: encodeFunctionData({ abi: vaultAbi, functionName: "withdraw", args: [usdc, thief, 1n] }) },
    { to: vault, data: encodeFunctionData({ abi: vaultAbi, functionName: "withdraw", args: [NATIVE, thief, 1n] }) },
    { to: vault, data: setOperator(thief) },
    { to: vault, data: encodeFunctionData({ abi: vaultAbi, functionName: "transferOwnership", args: [thief] }) },
    { to: router, data: routerFill(thief) },
    { to: executor, data: sweep(usdc, thief) },
    { to: executor, data: sweep(NATIVE, thief) },
    { to: executor, data: run(thief, 1n) },
    { to: clone, data: sweep(NATIVE, thief) },
    { to: clone, data: run(thief, 0n) },
    { to: usdc, data: transferFrom(vault, thief, 1n) },
    { to: usdt, data: transferFrom(vault, thief, 1n) },
    { to: usdc, data: transferFrom(router, thief, 1n) },
    { to: usdc, data: transferFrom(solver, thief, 1n) },
    { to: usdc, data: transferFrom(executor, thief, 1n) },
    { to: depository, data: "0x" },
    { to: usdc, data: transferFrom(depositAddress, thief, 1n) },
    { to: factory, data: sweepForData({ orderId, depositor: user, id, currency: usdc }) },
    { to: factory, data: setSweeper(thief) },
    { to: factory, data: setDepository(thief) },
    {
      to: behind,
      data: encodeFunctionData({ abi: depositAddressAbi, functionName: "deposit", args: [thief, thief, id, usdc, 1n] })
    }
  ]
}

/** Balances that only the payments of a fill may lower. */
export const wealth = ({ balance, vault, solver, depository, usdc, usdt }: Fixture): Promise<ReadonlyArray<bigint>> =>
  Promise.all([
    ...[NATIVE, usdc, usdt].map((token) => balance(token, vault)),
    ...[usdc, usdt].map((token) => balance(token, solver)),
    ...[NATIVE, usdc, usdt].map((token) => balance(token, depository))
  ])

export const assertEmpty = async ({ balance, usdc, usdt, weth }: Fixture, address: Address): Promise<void> => {
  for (const token of [NATIVE, usdc, usdt, weth]) assert.strictEqual(await balance(token, address), 0n)
}
