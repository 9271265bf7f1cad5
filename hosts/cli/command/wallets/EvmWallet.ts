/** A wallet on an EVM chain, by viem: what it signs, and when it goes to the node, is viem's own doing. */
import { createPublicClient, createWalletClient, defineChain, http, isHex } from "viem"
import type { Hex, TypedDataDefinition } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { ethereumWallet } from "../../../transfer/client/ethereum/EthereumWallet.ts"
import type { Eip1193Provider } from "../../../transfer/client/ethereum/EthereumWallet.ts"
import type { ServedChain } from "../ServedChains.ts"
import type { OpenWallet } from "./LocalWallet.ts"
import { NodeUnusable } from "./NodeUnusable.ts"

type Members = Readonly<Record<string, unknown>>

const isMembers = (value: unknown): value is Members => typeof value === "object" && value !== null

const hexIn = (members: Members, name: string): Hex => {
  const value = members[name]
  if (isHex(value)) return value
  throw new Error(`the transaction has no ${name}`)
}

const isTypedData = (value: unknown): value is TypedDataDefinition =>
  isMembers(value) && isMembers(value["types"]) && typeof value["primaryType"] === "string" &&
  isMembers(value["message"])

const quantity = (members: Members, name: string): bigint => BigInt(hexIn(members, name))

/** The chain is the served one: a node of another chain is refused before anything is asked of it. */
const assertNodeOf = async (node: { readonly getChainId: () => Promise<number> }, { id, slug }: ServedChain) => {
  const found = await node.getChainId().catch(() => {
    throw new NodeUnusable(`no node of ${slug} answers there`)
  })
  if (found !== id) throw new NodeUnusable(`the node there is one of chain ${found}, and ${slug} is chain ${id}`)
}

export const openEvm: OpenWallet = async (key, nodeUrl, served) => {
  const { currency, displayName, id } = served
  if (!isHex(key)) throw new Error("no key")
  const account = privateKeyToAccount(key)
  const chain = defineChain({
    id,
    name: displayName,
    nativeCurrency: { name: currency.name, symbol: currency.symbol, decimals: currency.decimals },
    rpcUrls: { default: { http: [nodeUrl] } }
  })
  const signer = createWalletClient({ account, chain, transport: http() })
  const node = createPublicClient({ chain, transport: http() })
  await assertNodeOf(node, served)
  const provider: Eip1193Provider = {
    request: async ({ method, params = [] }) => {
      const [first, second] = params
      switch (method) {
        case "eth_chainId":
          return `0x${id.toString(16)}`
        case "eth_sendTransaction": {
          if (!isMembers(first)) throw new Error("no transaction")
          return await signer.sendTransaction({
            to: hexIn(first, "to"),
            data: hexIn(first, "data"),
            value: quantity(first, "value"),
            gas: quantity(first, "gas"),
            maxFeePerGas: quantity(first, "maxFeePerGas"),
            maxPriorityFeePerGas: quantity(first, "maxPriorityFeePerGas")
          })
        }
        case "eth_signTypedData_v4": {
          const data: unknown = typeof second === "string" ? JSON.parse(second) : undefined
          if (!isTypedData(data)) throw new Error("no typed data")
          return await account.signTypedData(data)
        }
        case "personal_sign":
          if (!isHex(first)) throw new Error("no message")
          return await account.signMessage({ message: { raw: first } })
        case "eth_getTransactionReceipt":
          if (!isHex(first)) throw new Error("no transaction id")
          return await node.request({ method: "eth_getTransactionReceipt", params: [first] })
        default:
          throw new Error(`this wallet does not do ${method}`)
      }
    }
  }
  return { account: account.address, wallet: ethereumWallet({ provider, account: account.address }) }
}
