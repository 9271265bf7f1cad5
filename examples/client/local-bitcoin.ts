/**
 * Bitcoin against `npm start -- --with-bitcoin`, by `fetch`, bitcoinjs-lib and viem alone: 0.01 BTC for ETH on alpha by a
 * deposit, 0.01 BTC for USDC on beta by a deposit address, and 0.1 ETH on alpha for BTC.
 * `node local-bitcoin.ts <checkout>/.causeway/localnet.json`
 */
import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { getPublicKey, hashes, sign } from "@noble/secp256k1"
import { readFileSync } from "node:fs"
import { createWalletClient, defineChain, http, zeroAddress } from "viem"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { sendOnBitcoin } from "./bitcoin.ts"
import { transferByFetch } from "./fetch.ts"

hashes.sha256 = sha256
hashes.hmacSha256 = (key, message) => hmac(sha256, key, message)

/** The part of the file that is used here. */
interface BitcoinLocalnet {
  readonly transferUrl: string
  readonly accounts: ReadonlyArray<{ readonly address: string; readonly privateKey: Hex }>
  readonly chains: ReadonlyArray<{
    readonly chainId: number
    readonly rpcUrl: string
    readonly tokens: ReadonlyArray<{ readonly symbol: string; readonly address: string }>
  }>
  readonly bitcoin: {
    readonly chainId: number
    readonly explorerUrl: string
    readonly accounts: ReadonlyArray<{ readonly address: string; readonly privateKey: string }>
  }
}

const isLocalnet = (value: unknown): value is BitcoinLocalnet =>
  typeof value === "object" && value !== null && "transferUrl" in value && "bitcoin" in value

/** Native bitcoin in the API, whatever the network. */
const BTC = "bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqmql8k8"

interface Answer {
  readonly status: string
  readonly steps: ReadonlyArray<{
    readonly items: ReadonlyArray<{
      readonly data: { readonly psbt: string }
      readonly check: { readonly endpoint: string }
    }>
  }>
}

const isAnswer = (value: unknown): value is Answer => typeof value === "object" && value !== null

/** Quotes, signs the PSBT of its only step, and follows the request to its end. */
const sell = async ({ bitcoin, transferUrl }: BitcoinLocalnet, wanted: object) => {
  const [user] = bitcoin.accounts
  if (user === undefined) throw new Error("an account is missing")
  const secret = Uint8Array.from(Buffer.from(user.privateKey, "hex"))
  const signer = {
    publicKey: getPublicKey(secret, true),
    sign: (hash: Uint8Array) => sign(hash, secret, { prehash: false })
  }
  const json = async (path: string, body?: object) => {
    const answer = await fetch(`${transferUrl}${path}`, {
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
      headers: { "content-type": "application/json" }
    })
    const text = await answer.text()
    const told: unknown = JSON.parse(text)
    if (answer.ok && isAnswer(told)) return told
    throw new Error(text)
  }
  const quote = await json("/quote", {
    user: user.address,
    originChainId: bitcoin.chainId,
    originCurrency: BTC,
    amount: "1000000",
    tradeType: "EXACT_INPUT",
    ...wanted
  })
  const [item] = quote.steps.flatMap(({ items }) => items)
  if (item === undefined) throw new Error("the quote has no step")
  await sendOnBitcoin(bitcoin.explorerUrl, signer, item.data)
  while (true) {
    const { status } = await json(item.check.endpoint)
    if (["success", "refund", "failure"].includes(status)) return status
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

/** The three transfers, to the user's own accounts. Resolves with their final states. */
const thereAndBack = async (localnet: BitcoinLocalnet) => {
  const { accounts: [payer], bitcoin, chains: [alpha, beta], transferUrl } = localnet
  const usdc = beta?.tokens.find(({ symbol }) => symbol === "USDC")
  const [user] = bitcoin.accounts
  if (payer === undefined || user === undefined || alpha === undefined || beta === undefined || usdc === undefined) {
    throw new Error("an account, a chain or a token is missing")
  }
  const byDeposit = await sell(localnet, {
    destinationChainId: alpha.chainId,
    destinationCurrency: zeroAddress,
    recipient: payer.address
  })
  const byAddress = await sell(localnet, {
    destinationChainId: beta.chainId,
    destinationCurrency: usdc.address,
    recipient: payer.address,
    useDepositAddress: true,
    refundTo: user.address
  })
  const account = privateKeyToAccount(payer.privateKey)
  const wallet = createWalletClient({
    account,
    chain: defineChain({
      id: alpha.chainId,
      name: "alpha",
      nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
      rpcUrls: { default: { http: [alpha.rpcUrl] } }
    }),
    transport: http(alpha.rpcUrl)
  })
  const back = await transferByFetch(transferUrl, alpha.rpcUrl, wallet, {
    user: account.address,
    originChainId: alpha.chainId,
    originCurrency: zeroAddress,
    destinationChainId: bitcoin.chainId,
    destinationCurrency: BTC,
    recipient: user.address,
    amount: "100000000000000000",
    tradeType: "EXACT_INPUT"
  })
  return { byDeposit, byAddress, back }
}

const told: unknown = JSON.parse(readFileSync(process.argv[2] ?? ".causeway/localnet.json", "utf8"))
if (!isLocalnet(told)) throw new Error("that file is no localnet.json of a network with Bitcoin")
const { back, byAddress, byDeposit } = await thereAndBack(told)
console.log(`BTC to ETH: ${byDeposit}`)
console.log(`BTC to USDC by a deposit address: ${byAddress}`)
console.log(`ETH to BTC: ${back}`)
