/**
 * Two ways of docs/integrate.md against `npm start`: 0.1 ETH from alpha to beta by `fetch`, and back by the public SDK.
 * `node local.ts <checkout>/.causeway/localnet.json`
 */
import { readFileSync } from "node:fs"
import { createWalletClient, defineChain, http, zeroAddress } from "viem"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { transferByFetch } from "./fetch.ts"
import { transferBySdk } from "./sdk.ts"

/** The part of the file that is used here. */
export interface Localnet {
  readonly transferUrl: string
  readonly accounts: ReadonlyArray<{ readonly privateKey: Hex }>
  readonly chains: ReadonlyArray<{ readonly id: string; readonly chainId: number; readonly rpcUrl: string }>
}

const isLocalnet = (value: unknown): value is Localnet =>
  typeof value === "object" && value !== null && "transferUrl" in value

/** Resolves with the status of the first transfer and the request's id of the second, when both have ended. */
export const thereAndBack = async ({ accounts: [user], chains: [alpha, beta], transferUrl }: Localnet) => {
  if (user === undefined || alpha === undefined || beta === undefined) {
    throw new Error("an account or a chain is missing")
  }
  const account = privateKeyToAccount(user.privateKey)
  const walletOn = ({ chainId, id, rpcUrl }: typeof alpha) =>
    createWalletClient({
      account,
      chain: defineChain({
        id: chainId,
        name: id,
        nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
        rpcUrls: { default: { http: [rpcUrl] } }
      }),
      transport: http(rpcUrl)
    })
  const amount = "100000000000000000"
  const byFetch = await transferByFetch(transferUrl, alpha.rpcUrl, walletOn(alpha), {
    user: account.address,
    originChainId: alpha.chainId,
    originCurrency: zeroAddress,
    destinationChainId: beta.chainId,
    destinationCurrency: zeroAddress,
    amount,
    tradeType: "EXACT_INPUT"
  })
  const bySdk = await transferBySdk(transferUrl, walletOn(beta), {
    chainId: beta.chainId,
    currency: zeroAddress,
    amount,
    toChainId: alpha.chainId,
    toCurrency: zeroAddress,
    recipient: account.address
  })
  return { byFetch, bySdk }
}

if (process.argv[1] === import.meta.filename) {
  const told: unknown = JSON.parse(readFileSync(process.argv[2] ?? ".causeway/localnet.json", "utf8"))
  if (!isLocalnet(told)) throw new Error("that file is not a localnet.json")
  const { byFetch, bySdk } = await thereAndBack(told)
  console.log(`by fetch: ${byFetch}`)
  console.log(`by the SDK: ${told.transferUrl}/requests/${bySdk}`)
}
