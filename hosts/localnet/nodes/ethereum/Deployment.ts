/**
 * Makes a fresh local chain usable: contracts, tokens, and money for all accounts.
 *
 * Only this file uses what only a local node allows (balances from nothing, sending from an address without a key).
 */
import { Effect, Schema } from "effect"
import type { Address, Hex } from "viem"
import { parseAbi, parseEther, parseUnits } from "viem"
import { encodeFunctionData, getAddress } from "viem/utils"
import { addressOf, deployed, deployer, hubAddressOf, hubDeployed, multicall3, permit2 } from "./Addresses.ts"
import type { Anvil } from "./Anvil.ts"
import type { Owners } from "./Contracts.ts"
import { hubInitCode, initCode } from "./Contracts.ts"
import { depositFactoryCalls } from "./DepositFactory.ts"
import { LocalnetError } from "../../run/LocalnetError.ts"
import { multicall3InitCode } from "./Multicall.ts"
import { permit2Code } from "./Permit2Code.ts"
import { liquidityCalls } from "./Uniswap.ts"

/** The initial balances, in smallest units. */
export const funding = {
  /** Native currency of each account and of the allocator, on every chain. */
  native: parseEther("10000"),
  /** The solver's own account, which sends plain payments. */
  solver: { native: parseEther("1000"), stable: parseUnits("10000000", 6), weth: parseEther("10000") },
  stable: parseUnits("1000000", 6),
  weth: parseEther("1000"),
  /** The token that only a swap reaches: users have it, the solver does not. */
  gem: parseEther("100000"),
  vault: { native: parseEther("100000"), stable: parseUnits("100000000", 6), weth: parseEther("100000") }
} as const

/** Stable amounts have six decimals; DAI has eighteen. */
const DAI_UNITS = 10n ** 12n

export interface Parties extends Owners {
  /** Sweeps deposit addresses. */
  readonly operator: Address
  readonly accounts: ReadonlyArray<Address>
}

const tokenAbi = parseAbi([
  "function mint(address to, uint256 amount)",
  "function deposit() payable",
  "function transfer(address to, uint256 amount) returns (bool)"
])

const multicallAbi = parseAbi([
  "struct Call3Value { address target; bool allowFailure; uint256 value; bytes callData; }",
  "struct Result { bool success; bytes returnData; }",
  "function aggregate3Value(Call3Value[] calls) payable returns (Result[] results)"
])

const Receipt = Schema.Struct({ status: Schema.String, contractAddress: Schema.NullOr(Schema.String) })

/** Sends from an address without a key and waits until it is mined. Errors: it reverted. */
const send = Effect.fnUntraced(function*(
  chain: Anvil,
  from: Address,
  what: string,
  transaction: { readonly to?: Address; readonly data: Hex; readonly value?: bigint }
) {
  const { value, ...rest } = transaction
  const hash = yield* chain.request("eth_sendTransaction", [
    { from, ...rest, ...(value === undefined ? {} : { value: `0x${value.toString(16)}` }) }
  ])
  let found: unknown = null
  while (found === null) {
    found = yield* chain.request("eth_getTransactionReceipt", [hash])
    if (found === null) yield* Effect.sleep(5)
  }
  const receipt = yield* Schema.decodeUnknownEffect(Receipt)(found).pipe(
    Effect.mapError((error) => new LocalnetError({ message: `${what}: ${error.message}` }))
  )
  if (receipt.status !== "0x1") {
    return yield* new LocalnetError({ message: `${what} reverted on chain ${chain.chainId}` })
  }
  return receipt
})

const installMulticall = Effect.fnUntraced(function*(chain: Anvil) {
  const code = yield* chain.request("eth_call", [{ data: multicall3InitCode }, "latest"])
  yield* chain.setCode(multicall3, String(code))
})

const deployOne = Effect.fnUntraced(function*(chain: Anvil, contract: string, data: Hex, expected: Address) {
  const { contractAddress } = yield* send(chain, deployer, `deployment of ${contract}`, { data })
  if (contractAddress === null || getAddress(contractAddress) !== expected) {
    return yield* new LocalnetError({
      message: `${contract} was deployed at ${contractAddress} instead of ${expected}`
    })
  }
})

/** Lets the deployer, which has no key, send while `act` runs. */
const asDeployer = Effect.fnUntraced(function*<A, E>(chain: Anvil, act: Effect.Effect<A, E>) {
  yield* chain.setBalance(deployer, parseEther("1000000"))
  yield* chain.request("anvil_impersonateAccount", [deployer])
  yield* act
  yield* chain.request("anvil_stopImpersonatingAccount", [deployer])
  yield* chain.setBalance(deployer, 0n)
})

const deployContracts = (chain: Anvil, owners: Owners) =>
  Effect.forEach(deployed, (contract) => deployOne(chain, contract, initCode(contract, owners), addressOf(contract)), {
    discard: true
  })

const deployDepositFactory = (chain: Anvil, { operator }: Parties) =>
  Effect.forEach(depositFactoryCalls(operator), ({ what, ...call }) => send(chain, deployer, what, call), {
    discard: true
  })

const hubAbi = parseAbi(["function setGate(address gate, bool allowed)"])

/** The hub's owner allows the gate, and nothing else, to change balances. */
const openGate = Effect.fnUntraced(function*(chain: Anvil, { allocator }: Parties) {
  yield* chain.request("anvil_impersonateAccount", [allocator])
  yield* send(chain, allocator, "opening the gate", {
    to: hubAddressOf("Hub"),
    data: encodeFunctionData({ abi: hubAbi, functionName: "setGate", args: [hubAddressOf("OracleGate"), true] })
  })
  yield* chain.request("anvil_stopImpersonatingAccount", [allocator])
  yield* chain.setBalance(allocator, funding.native)
})

/** One transaction that mints stable tokens and wraps WETH, for every account, the solver and the vault. */
const fundTokens = Effect.fnUntraced(function*(chain: Anvil, { accounts, solver }: Parties) {
  const call = (target: Address, callData: Hex, value = 0n) => ({ target, allowFailure: false, value, callData })
  const give = (to: Address, stable: bigint, weth: bigint) => [
    call(addressOf("TestUSDC"), encodeFunctionData({ abi: tokenAbi, functionName: "mint", args: [to, stable] })),
    call(addressOf("TestUSDT"), encodeFunctionData({ abi: tokenAbi, functionName: "mint", args: [to, stable] })),
    call(
      addressOf("TestDAI"),
      encodeFunctionData({ abi: tokenAbi, functionName: "mint", args: [to, stable * DAI_UNITS] })
    ),
    call(addressOf("TestWETH"), encodeFunctionData({ abi: tokenAbi, functionName: "deposit" }), weth),
    call(addressOf("TestWETH"), encodeFunctionData({ abi: tokenAbi, functionName: "transfer", args: [to, weth] }))
  ]
  const calls = [
    ...accounts.flatMap((account) => give(account, funding.stable, funding.weth)),
    ...accounts.map((account) =>
      call(
        addressOf("TestGEM"),
        encodeFunctionData({ abi: tokenAbi, functionName: "mint", args: [account, funding.gem] })
      )
    ),
    ...give(solver, funding.solver.stable, funding.solver.weth),
    ...give(addressOf("Vault"), funding.vault.stable, funding.vault.weth)
  ]
  yield* send(chain, deployer, "funding with tokens", {
    to: multicall3,
    data: encodeFunctionData({ abi: multicallAbi, functionName: "aggregate3Value", args: [calls] }),
    value: calls.reduce((sum, { value }) => sum + value, 0n)
  })
})

/** Opens the Uniswap pools, one transaction each. */
const openPools = (chain: Anvil) =>
  Effect.forEach(liquidityCalls, (calls) =>
    send(chain, deployer, "opening a pool", {
      to: multicall3,
      data: encodeFunctionData({
        abi: multicallAbi,
        functionName: "aggregate3Value",
        args: [calls.map((call) => ({ ...call, allowFailure: false }))]
      }),
      value: calls.reduce((sum, { value }) => sum + value, 0n)
    }), { discard: true })

const fundNative = Effect.fnUntraced(function*(chain: Anvil, parties: Parties) {
  const balances: ReadonlyArray<readonly [Address, bigint]> = [
    ...parties.accounts.map((account) => [account, funding.native] as const),
    [parties.allocator, funding.native],
    [parties.solver, funding.solver.native],
    [parties.operator, funding.native]
  ]
  yield* Effect.forEach(balances, ([address, wei]) => chain.setBalance(address, wei), {
    concurrency: "unbounded",
    discard: true
  })
})

/** Makes an EVM chain of the network usable: contracts at their constant addresses, all accounts funded. */
export const deploy = Effect.fn("Deployment.deploy")(function*(chain: Anvil, parties: Parties) {
  yield* Effect.all([installMulticall(chain), chain.setCode(permit2, permit2Code), fundNative(chain, parties)], {
    concurrency: "unbounded",
    discard: true
  })
  yield* asDeployer(
    chain,
    Effect.all([
      deployContracts(chain, parties),
      deployDepositFactory(chain, parties),
      fundTokens(chain, parties),
      openPools(chain)
    ], { discard: true })
  )
  yield* chain.setBalance(addressOf("Vault"), funding.vault.native)
})

/** Makes the hub chain usable: hub and gate, native currency for all accounts. */
export const deployHub = Effect.fn("Deployment.deployHub")(function*(chain: Anvil, parties: Parties) {
  yield* Effect.all([installMulticall(chain), fundNative(chain, parties)], { concurrency: "unbounded", discard: true })
  yield* asDeployer(
    chain,
    Effect.forEach(
      hubDeployed,
      (contract) => deployOne(chain, contract, hubInitCode(contract, parties), hubAddressOf(contract)),
      { discard: true }
    )
  )
  yield* openGate(chain, parties)
})
