/** The user's side of a transfer on an EVM chain: viem, a key and a node. Sends the transaction of a step unchanged. */
import { Effect, Schema } from "effect"
import type { Address, Chain, Hex } from "viem"
import {
  createPublicClient,
  createWalletClient,
  defineChain,
  erc20Abi,
  http,
  parseAbi,
  parseEventLogs,
  zeroAddress
} from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { getAddress } from "viem/utils"
import { LocalnetError, reasonOf } from "../../run/LocalnetError.ts"
import type { StepTransaction } from "./TransferApi.ts"

export interface ChainAccess {
  readonly id: string
  readonly chainId: number
  readonly rpcUrl: string
}

const chainOf = ({ chainId, id, rpcUrl }: ChainAccess): Chain =>
  defineChain({
    id: chainId,
    name: id,
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } }
  })

const reader = (access: ChainAccess) =>
  createPublicClient({ chain: chainOf(access), transport: http(), pollingInterval: 50, cacheTime: 0 })

const attempt = <A>(access: ChainAccess, what: string, act: () => Promise<A>) =>
  Effect.tryPromise({
    try: act,
    catch: (cause) => new LocalnetError({ message: `${what} on ${access.id} failed: ${reasonOf(cause)}` })
  })

/** Balance in smallest units, now or at a block. The zero address means the native currency. */
export const balance = (
  access: ChainAccess,
  currency: Address,
  owner: Address,
  blockNumber?: bigint
): Effect.Effect<bigint, LocalnetError> =>
  attempt(access, "reading a balance", () => {
    const at = blockNumber === undefined ? {} : { blockNumber }
    return currency === zeroAddress
      ? reader(access).getBalance({ address: owner, ...at })
      : reader(access).readContract({
        abi: erc20Abi,
        address: currency,
        functionName: "balanceOf",
        args: [owner],
        ...at
      })
  })

/** Seconds: the time of the chain's newest block. */
export const headTime = (access: ChainAccess): Effect.Effect<bigint, LocalnetError> =>
  Effect.map(attempt(access, "reading a block", () => reader(access).getBlock()), ({ timestamp }) => timestamp)

const hubAbi = parseAbi([
  "function balanceOf(address owner, uint256 id) view returns (uint256)",
  "event Transfer(address caller, address indexed sender, address indexed receiver, uint256 indexed id, uint256 amount)"
])

/** An account's balance of a token on the hub, now or at a block. */
export const hubBalance = (
  access: ChainAccess,
  hub: Address,
  owner: Address,
  token: bigint,
  blockNumber?: bigint
): Effect.Effect<bigint, LocalnetError> =>
  attempt(
    access,
    "reading a balance",
    () =>
      reader(access).readContract({
        abi: hubAbi,
        address: hub,
        functionName: "balanceOf",
        args: [owner, token],
        ...(blockNumber === undefined ? {} : { blockNumber })
      })
  )

/** The transfers between hub accounts in a transaction. */
export const hubTransfers = (
  access: ChainAccess,
  hub: Address,
  hash: string
): Effect.Effect<
  ReadonlyArray<{ readonly to: Address; readonly token: bigint; readonly amount: bigint }>,
  LocalnetError
> =>
  Effect.map(
    receiptOf(access, hash),
    ({ logs }) =>
      parseEventLogs({ abi: hubAbi, logs: logs.filter(({ address }) => getAddress(address) === hub) })
        .map(({ args: { amount, id, receiver } }) => ({ to: getAddress(receiver), token: id, amount }))
  )

/** Calls a contract with the user's own transaction and that many wei. Returns its hash. */
export const call = (
  access: ChainAccess,
  key: Hex,
  to: Address,
  data: Hex,
  value = 0n
): Effect.Effect<Hex, LocalnetError> =>
  attempt(
    access,
    "a transaction",
    () =>
      createWalletClient({ account: privateKeyToAccount(key), chain: chainOf(access), transport: http() })
        .sendTransaction({ to, data, value })
  )

/** Sends a step's transaction unchanged. Returns its hash. */
export const send = (access: ChainAccess, key: Hex, step: StepTransaction): Effect.Effect<Hex, LocalnetError> => {
  const account = privateKeyToAccount(key)
  if (step.chainId !== access.chainId || getAddress(step.from) !== account.address) {
    return Effect.fail(
      new LocalnetError({
        message: `the step asks ${step.from} on chain ${step.chainId} to send, which is somebody else`
      })
    )
  }
  return attempt(
    access,
    "sending the step's transaction",
    () =>
      createWalletClient({ account, chain: chainOf(access), transport: http() }).sendTransaction({
        to: getAddress(step.to),
        data: step.data,
        value: BigInt(step.value),
        maxFeePerGas: BigInt(step.maxFeePerGas),
        maxPriorityFeePerGas: BigInt(step.maxPriorityFeePerGas),
        ...(step.gas === undefined ? {} : { gas: BigInt(step.gas) })
      })
  )
}

const receiptOf = Effect.fnUntraced(function*(access: ChainAccess, hash: string) {
  const id = yield* Schema.decodeUnknownEffect(Schema.TemplateLiteral(["0x", Schema.String]))(hash).pipe(
    Effect.mapError(() => new LocalnetError({ message: `${hash} is no transaction of ${access.id}` }))
  )
  return yield* attempt(
    access,
    `transaction ${id}`,
    () => reader(access).waitForTransactionReceipt({ hash: id, timeout: 20_000 })
  )
})

/** A mined transaction: whether it succeeded, its gas cost in wei, and its block's time in seconds. */
export const mined = Effect.fn("Wallet.mined")(function*(access: ChainAccess, hash: string) {
  const receipt = yield* receiptOf(access, hash)
  return {
    succeeded: receipt.status === "success",
    block: receipt.blockNumber,
    gasCost: receipt.gasUsed * receipt.effectiveGasPrice
  }
})
