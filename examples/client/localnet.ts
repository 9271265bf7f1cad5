/**
 * The accounts of `npm start -- --all-families` as wallets of each family, by fetch and the family's library alone. The
 * file of the network is all that they know of it.
 */
import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { getPublicKey, hashes, sign } from "@noble/secp256k1"
import { address, createKeyPairSignerFromBytes, createSolanaRpc, getBase58Encoder } from "@solana/kit"
import { readFileSync } from "node:fs"
import { TronWeb } from "tronweb"
import { createPublicClient, createWalletClient, defineChain, erc20Abi, getAddress, http, zeroAddress } from "viem"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { sendOnBitcoin } from "./bitcoin.ts"
import type { BitcoinData } from "./bitcoin.ts"
import { sendOnEthereum, settled, transferBy } from "./fetch.ts"
import type { Send } from "./fetch.ts"
import { sendOnSolana } from "./solana.ts"
import type { SolanaData } from "./solana.ts"
import { sendOnTron } from "./tron.ts"
import type { TronData } from "./tron.ts"

hashes.sha256 = sha256
hashes.hmacSha256 = (key, message) => hmac(sha256, key, message)

interface Accounts<Key> {
  readonly chainId: number
  readonly rpcUrl: string
  readonly accounts: ReadonlyArray<{ readonly address: string; readonly privateKey: Key }>
}

/** The part of the file that is used here. */
interface Localnet {
  readonly transferUrl: string
  readonly accounts: Accounts<Hex>["accounts"]
  readonly chains: ReadonlyArray<Omit<Accounts<Hex>, "accounts">>
  readonly solana: Accounts<string>
  readonly bitcoin: Accounts<string> & { readonly explorerUrl: string }
  readonly tron: Accounts<string>
}

const isLocalnet = (value: unknown): value is Localnet =>
  typeof value === "object" && value !== null &&
  ["transferUrl", "solana", "bitcoin", "tron"].every((key) => key in value)

const listOf = async <A>(url: string, is: (value: unknown) => value is A): Promise<ReadonlyArray<A>> => {
  const list: unknown = await (await fetch(url)).json()
  if (!Array.isArray(list) || !list.every(is)) throw new Error(`${url} gives no such list`)
  return list
}

const isText = (value: unknown): value is string => typeof value === "string"

const isCoin = (value: unknown): value is { readonly value: number } =>
  typeof value === "object" && value !== null && "value" in value

const isCurrency = (value: unknown): value is { readonly symbol: string; readonly address: string } =>
  typeof value === "object" && value !== null && "symbol" in value && "address" in value

const pause = () => new Promise((resolve) => setTimeout(resolve, 250))

/** Where money goes. */
export interface Account {
  readonly chainId: number
  readonly address: string
  /** Smallest units. */
  readonly held: (currency: string) => Promise<bigint>
}

/** An account that sends the data of steps. */
export interface Wallet<Data> extends Account {
  readonly send: Send<Data>
}

const onEthereum = ({ chainId, rpcUrl }: Localnet["chains"][number], key: Hex) => {
  const account = privateKeyToAccount(key)
  const chain = defineChain({
    id: chainId,
    name: `${chainId}`,
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } }
  })
  const reader = createPublicClient({ transport: http(rpcUrl) })
  const { address: owner } = account
  return {
    chainId,
    address: owner,
    held: (currency: string) =>
      currency === zeroAddress
        ? reader.getBalance({ address: owner })
        : reader.readContract({
          abi: erc20Abi,
          address: getAddress(currency),
          functionName: "balanceOf",
          args: [owner]
        }),
    send: sendOnEthereum(rpcUrl, createWalletClient({ account, chain, transport: http(rpcUrl) }))
  }
}

const SOL = "11111111111111111111111111111111"

const onSolana = async ({ chainId, rpcUrl }: Localnet["solana"], key: string): Promise<Wallet<SolanaData>> => {
  const signer = await createKeyPairSignerFromBytes(Uint8Array.from(getBase58Encoder().encode(key)))
  const rpc = createSolanaRpc(rpcUrl)
  const held = async (currency: string) => {
    if (currency === SOL) return (await rpc.getBalance(signer.address, { commitment: "confirmed" }).send()).value
    const of = { mint: address(currency) }
    const { value } = await rpc.getTokenAccountsByOwner(signer.address, of, {
      commitment: "confirmed",
      encoding: "base64"
    }).send()
    return value.reduce((sum, { account: { data } }) => sum + Buffer.from(data[0], "base64").readBigUInt64LE(64), 0n)
  }
  return { chainId, address: signer.address, held, send: (data) => sendOnSolana(rpcUrl, signer, data) }
}

const onBitcoin = (
  { chainId, explorerUrl }: Localnet["bitcoin"],
  { address: owner, privateKey }: Localnet["bitcoin"]["accounts"][number]
): Wallet<BitcoinData> => {
  const secret = Uint8Array.from(Buffer.from(privateKey, "hex"))
  const signer = {
    publicKey: getPublicKey(secret, true),
    sign: (hash: Uint8Array) => sign(hash, secret, { prehash: false })
  }
  return {
    chainId,
    address: owner,
    held: async () => {
      const coins = await listOf(`${explorerUrl}/address/${owner}/utxo`, isCoin)
      return coins.reduce((sum, { value }) => sum + BigInt(value), 0n)
    },
    send: (data) => sendOnBitcoin(explorerUrl, signer, data)
  }
}

const TRX = "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb"

const onTron = (
  { chainId, rpcUrl }: Localnet["tron"],
  { address: owner, privateKey }: Localnet["tron"]["accounts"][number]
): Wallet<TronData> => {
  const tronWeb = new TronWeb({ fullHost: rpcUrl, privateKey })
  const send = async (data: TronData) => {
    const id = await sendOnTron(tronWeb, data)
    // The deposit of a token is built by the node from the state after its approval.
    while (!("blockNumber" in await tronWeb.trx.getUnconfirmedTransactionInfo(id))) await pause()
  }
  const held = async (currency: string) => {
    if (currency === TRX) return BigInt(await tronWeb.trx.getUnconfirmedBalance(owner))
    const asked = [{ type: "address", value: owner }]
    const answer = await tronWeb.transactionBuilder
      .triggerConstantContract(currency, "balanceOf(address)", {}, asked, owner)
    const words: unknown = answer.constant_result
    if (!Array.isArray(words) || !words.every(isText)) throw new Error("the node does not tell the balance")
    return BigInt(`0x${words.join("")}`)
  }
  return { chainId, address: owner, held, send }
}

/** The wallets of the accounts at this position. */
export const walletsOf = async (file: string, position: number) => {
  const localnet: unknown = JSON.parse(readFileSync(file, "utf8"))
  if (!isLocalnet(localnet)) throw new Error("that file is no localnet.json of a network with all families")
  const { bitcoin, chains: [alpha, beta], solana, transferUrl, tron } = localnet
  const [evm, svm, btc, tvm] = [localnet, solana, bitcoin, tron].map(({ accounts }) => accounts[position])
  const key = localnet.accounts[position]?.privateKey
  if (alpha === undefined || beta === undefined || key === undefined) {
    throw new Error("a chain or an account is missing")
  }
  if (evm === undefined || svm === undefined || btc === undefined || tvm === undefined) {
    throw new Error("an account is missing")
  }
  return {
    transferUrl,
    alpha: onEthereum(alpha, key),
    beta: onEthereum(beta, key),
    solana: await onSolana(solana, svm.privateKey),
    bitcoin: onBitcoin(bitcoin, btc),
    tron: onTron(tron, tvm)
  }
}

const currencyOf = async (transferUrl: string, chainId: number, wanted: string): Promise<string> => {
  const listed = await listOf(`${transferUrl}/currencies?chainId=${chainId}`, isCurrency)
  const found = listed.find(({ symbol }) => symbol === wanted)
  if (found === undefined) throw new Error(`no ${wanted} on ${chainId}`)
  return found.address
}

/** A wallet, or an account, and the symbol of a currency there. */
export type End<A> = readonly [account: A, symbol: string]

/**
 * Resolves when the recipient has exactly what was quoted. `settled` resolves when the hub has credited the deposit to
 * the solver.
 */
export const move = async <Data>(
  transferUrl: string,
  [from, sold]: End<Wallet<Data>>,
  [to, bought]: End<Account>,
  amount: bigint
) => {
  const [originCurrency, destinationCurrency] = await Promise.all([
    currencyOf(transferUrl, from.chainId, sold),
    currencyOf(transferUrl, to.chainId, bought)
  ])
  const before = await to.held(destinationCurrency)
  const { out, requestId, status } = await transferBy<Data>(transferUrl, {
    user: from.address,
    recipient: to.address,
    originChainId: from.chainId,
    originCurrency,
    destinationChainId: to.chainId,
    destinationCurrency,
    amount: `${amount}`,
    tradeType: "EXACT_INPUT"
  }, from.send)
  const way = `${sold} on ${from.chainId} to ${bought} on ${to.chainId}`
  if (status !== "success") throw new Error(`${way}: ${status}`)
  let arrived = 0n
  while (arrived === 0n) {
    await pause()
    arrived = (await to.held(destinationCurrency)) - before
  }
  if (arrived !== out) throw new Error(`${way}: ${arrived} arrived instead of ${out}`)
  return { way: `${way}: ${arrived} as quoted`, settled: settled(transferUrl, requestId) }
}
