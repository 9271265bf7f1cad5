/**
 * The fixture of the contract tests: one anvil with everything deployed as in README.md, actors, and a few verbs. Every
 * test starts from the same state (snapshot and revert). Tests encode call data from the typed ABIs, so that they can
 * also append, cut or repeat bytes.
 */
import { afterAll, beforeAll, beforeEach } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import type { Abi, AbiEvent, Address, Hex, TransactionReceipt } from "viem"
import {
  BaseError,
  concat,
  createTestClient,
  decodeErrorResult,
  encodeAbiParameters,
  encodeDeployData,
  encodeFunctionData,
  erc20Abi,
  getContractAddress,
  http,
  isHex,
  parseAbi,
  parseEventLogs,
  publicActions,
  walletActions
} from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { Anvil } from "../../../../hosts/localnet/nodes/ethereum/Anvil.ts"
import { abi as badTokenAbi } from "../artifacts/BadToken.ts"
import { abi as depositAddressAbi } from "../artifacts/DepositAddress.ts"
import { abi as factoryAbi } from "../artifacts/DepositAddresses.ts"
import { abi as depositoryAbi, bytecode as depositoryCode } from "../artifacts/Depository.ts"
import { abi as executorAbi } from "../artifacts/Executor.ts"
import { abi as forwarderAbi } from "../artifacts/Forwarder.ts"
import { abi as hubAbi } from "../artifacts/Hub.ts"
import { abi as gateAbi } from "../artifacts/OracleGate.ts"
import { abi as puppetAbi, bytecode as puppetCode } from "../artifacts/Puppet.ts"
import { abi as refuserAbi, bytecode as refuserCode } from "../artifacts/Refuser.ts"
import { abi as routerAbi, bytecode as routerCode } from "../artifacts/Router.ts"
import { abi as swapDepositorAbi } from "../artifacts/SwapDepositor.ts"
import { abi as usdcAbi, bytecode as usdcCode } from "../artifacts/TestUSDC.ts"
import { abi as usdtAbi, bytecode as usdtCode } from "../artifacts/TestUSDT.ts"
import { abi as wethAbi, bytecode as wethCode } from "../artifacts/TestWETH.ts"
import { abi as vaultAbi, bytecode as vaultCode } from "../artifacts/Vault.ts"
import { CREATE2_DEPLOYER, deployment, factoryOf, setDepository, setOperator } from "./Factory.ts"

export const NATIVE: Address = "0x0000000000000000000000000000000000000000"
export const PERMIT2: Address = "0x000000000022D473030F116dDEE9F6B43aC78BA3"
export const GATE: Address = "0x00000000000000000000000000000000000067a7"

const CHAIN_ID = 616177
/** Enough for any test, and leaves room in anvil's block of 30 million. */
const GAS = 8_000_000n

/** The errors of Permit2 that tests meet. */
const permit2Errors = parseAbi([
  "error InvalidNonce()",
  "error InvalidSigner()",
  "error SignatureExpired(uint256 signatureDeadline)"
])

const knownErrors: Abi = [
  ...depositoryAbi,
  ...vaultAbi,
  ...routerAbi,
  ...executorAbi,
  ...factoryAbi,
  ...depositAddressAbi,
  ...badTokenAbi,
  ...usdcAbi,
  ...usdtAbi,
  ...wethAbi,
  ...refuserAbi,
  ...hubAbi,
  ...gateAbi,
  ...forwarderAbi,
  ...swapDepositorAbi,
  ...permit2Errors
].filter((item) => item.type === "error")

const clientOf = (url: string) =>
  createTestClient({ mode: "anvil", transport: http(url, { retryCount: 0 }), pollingInterval: 5 })
    .extend(publicActions)
    .extend(walletActions)

const revertData = (error: unknown): Hex => {
  const found = error instanceof BaseError ? error.walk((cause) => "data" in (cause as object)) : null
  const data: unknown = found !== null && "data" in found ? found.data : undefined
  return isHex(data) ? data : "0x"
}

/** The name of the error in revert data. For CallFailed, the name of the inner reason follows a colon. */
export const errorName = (data: Hex): string => {
  if (data === "0x") return "(no reason)"
  const error = decodeErrorResult({ abi: knownErrors, data })
  const inner = error.args?.at(-1)
  return error.errorName === "CallFailed" && isHex(inner) ? `CallFailed:${errorName(inner)}` : error.errorName
}

export interface Act {
  readonly to: Address
  readonly data: Hex
  readonly value?: bigint
}

const build = async (url: string, chainId: number) => {
  const client = clientOf(url)
  const accounts = await client.getAddresses()
  const account = (index: number): Address => {
    const address = accounts[index]
    if (address === undefined) throw new Error("anvil has too few accounts")
    return address
  }
  const [deployer, owner, solver, user, thief, stranger] = [0, 1, 2, 3, 4, 5].map(account) as [
    Address,
    Address,
    Address,
    Address,
    Address,
    Address
  ]
  const allocator = privateKeyToAccount(generatePrivateKey())

  /** Read directly: the chain mines at once, and viem's watcher of blocks can miss the only block. */
  const receiptOf = async (hash: Hex): Promise<TransactionReceipt> => {
    for (let tries = 0; tries < 500; tries += 1) {
      const receipt = await client.getTransactionReceipt({ hash }).catch(() => undefined)
      if (receipt !== undefined) return receipt
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    throw new Error(`transaction ${hash} was not mined within 5 s`)
  }
  const transact = async (from: Address, transaction: { to?: Address; data: Hex; value?: bigint }) => {
    const hash = await client.sendTransaction({ account: from, chain: null, gas: GAS, ...transaction })
    return receiptOf(hash)
  }
  const create = async (from: Address, data: Hex): Promise<Address> => {
    const receipt = await transact(from, { data })
    if (receipt.status !== "success" || !receipt.contractAddress) throw new Error("deployment failed")
    return receipt.contractAddress
  }
  /** Sends, and fails unless it succeeds. */
  const send = async (from: Address, to: Address, data: Hex, value = 0n): Promise<TransactionReceipt> => {
    const receipt = await transact(from, { to, data, value })
    if (receipt.status !== "success") throw new Error(`reverted: ${await refusal(from, to, data, value)}`)
    return receipt
  }
  /** Why the call would revert. Fails when it would not. Changes nothing. */
  const refusal = async (from: Address, to: Address, data: Hex, value = 0n, gas = GAS): Promise<string> => {
    try {
      await client.call({ account: from, to, data, value, gas })
    } catch (error) {
      return errorName(revertData(error))
    }
    throw new Error("it was not refused")
  }

  const at = (nonce: bigint) => getContractAddress({ from: deployer, nonce })
  const usdc = await create(deployer, usdcCode)
  const usdt = await create(deployer, usdtCode)
  const weth = await create(deployer, wethCode)
  const depository = await create(
    deployer,
    encodeDeployData({ abi: depositoryAbi, bytecode: depositoryCode, args: [owner, allocator.address] })
  )
  const vault = await create(
    deployer,
    encodeDeployData({ abi: vaultAbi, bytecode: vaultCode, args: [owner, at(5n), [solver]] })
  )
  const router = await create(
    deployer,
    encodeDeployData({ abi: routerAbi, bytecode: routerCode, args: [vault, [depository, GATE, PERMIT2, solver]] })
  )
  /** The factory that this owner has on every chain, not set up yet. */
  const deployFactory = async (by: Address): Promise<Address> => {
    await send(thief, CREATE2_DEPLOYER, deployment(by))
    return factoryOf(by)
  }
  const factory = await deployFactory(owner)
  await send(owner, factory, setDepository(depository))
  await send(owner, factory, setOperator(solver))
  const puppet = await create(thief, puppetCode)
  const refuser = await create(thief, refuserCode)

  const mint = (token: Address, to: Address, amount: bigint) =>
    send(deployer, token, encodeFunctionData({ abi: usdcAbi, functionName: "mint", args: [to, amount] }))
  const balance = (token: Address, of: Address): Promise<bigint> =>
    token === NATIVE
      ? client.getBalance({ address: of })
      : client.readContract({ address: token, abi: erc20Abi, functionName: "balanceOf", args: [of] })
  /** The calls that the puppet makes the next time it runs. */
  const teach = (acts: ReadonlyArray<Act>, strict = false) =>
    send(
      thief,
      puppet,
      encodeFunctionData({
        abi: puppetAbi,
        functionName: "teach",
        args: [acts.map((act) => ({ value: 0n, ...act })), strict]
      })
    )
  /** The results of the puppet's calls. */
  const played = async () => {
    const read = { address: puppet, abi: puppetAbi } as const
    const [succeeded, failed, reason] = await Promise.all([
      client.readContract({ ...read, functionName: "succeeded" }),
      client.readContract({ ...read, functionName: "failed" }),
      client.readContract({ ...read, functionName: "lastFailure" })
    ])
    return { succeeded, failed, reason: errorName(reason) }
  }
  /** The address of the executor that the router will create `ahead` fills with calls from now. */
  const nextExecutor = async (ahead = 0): Promise<Address> =>
    getContractAddress({ from: router, nonce: BigInt(await client.getTransactionCount({ address: router }) + ahead) })

  for (const token of [usdc, usdt]) {
    await mint(token, vault, 1_000_000_000000n)
    await mint(token, user, 1_000_000_000000n)
  }
  await client.setBalance({ address: vault, value: 1000n * 10n ** 18n })

  return {
    client,
    transact,
    create,
    deployFactory,
    send,
    refusal,
    mint,
    balance,
    teach,
    played,
    nextExecutor,
    deployer,
    owner,
    solver,
    user,
    thief,
    stranger,
    allocator,
    usdc,
    usdt,
    weth,
    depository,
    vault,
    router,
    factory,
    puppet,
    refuser,
    chainId,
    url
  }
}

export type Fixture = Awaited<ReturnType<typeof build>>

/**
 * Registers the fixture with the file's hooks. The returned function gives it to a test. A second fixture is a second
 * chain.
 */
export const useFixture = (chainId = CHAIN_ID): () => Fixture => {
  const scope = Scope.makeUnsafe()
  let fixture: Fixture | undefined
  let snapshot: Hex | undefined
  const current = (): Fixture => {
    if (fixture === undefined) throw new Error("the stage is not built yet")
    return fixture
  }
  beforeAll(async () => {
    const anvil = await Effect.runPromise(Scope.provide(Anvil.start({ chainId }), scope))
    fixture = await build(anvil.url, chainId)
    snapshot = await fixture.client.snapshot()
  })
  beforeEach(async () => {
    if (snapshot !== undefined) await current().client.revert({ id: snapshot })
    snapshot = await current().client.snapshot()
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  return current
}

const ourEvents: ReadonlyArray<AbiEvent> = [...depositoryAbi, ...routerAbi, ...vaultAbi, ...factoryAbi, ...erc20Abi]
  .filter((item) => item.type === "event")

/** Events in log order, as `Name(arguments…)` with lower-case addresses, for short comparisons. */
export const eventsOf = (receipt: TransactionReceipt): ReadonlyArray<string> =>
  parseEventLogs({ abi: ourEvents, logs: receipt.logs }).map((log) => {
    const values: ReadonlyArray<unknown> = Object.values(log.args ?? {})
    return `${log.eventName}(${values.map((value) => String(value).toLowerCase()).join(",")})`
  })

export const event = (name: string, ...values: ReadonlyArray<Hex | bigint>): string =>
  `${name}(${values.map((value) => String(value).toLowerCase()).join(",")})`

/** 32 bytes that depend on `seed`. */
export const word = (seed: number): Hex => encodeAbiParameters([{ type: "uint256" }], [BigInt(seed) + (1n << 255n)])

export interface FillOf {
  readonly orderId?: Hex
  readonly leg?: bigint
  readonly payments?: ReadonlyArray<readonly [recipient: Address, token: Address, amount: bigint]>
  readonly calls?: ReadonlyArray<Act>
  readonly leftovers?: ReadonlyArray<Address>
  readonly recipient?: Address
}

/** Call data of Vault.fill with the order id appended, as the solver sends it. */
export const fillData = (fill: FillOf): Hex => {
  const orderId = fill.orderId ?? word(1)
  const encoded = encodeFunctionData({
    abi: vaultAbi,
    functionName: "fill",
    args: [orderId, fill.leg ?? 0n, {
      payments: (fill.payments ?? []).map(([recipient, token, amount]) => ({ recipient, token, amount })),
      calls: (fill.calls ?? []).map((call) => ({ value: 0n, ...call })),
      leftovers: fill.leftovers ?? [],
      recipient: fill.recipient ?? NATIVE
    }]
  })
  return concat([encoded, orderId])
}
