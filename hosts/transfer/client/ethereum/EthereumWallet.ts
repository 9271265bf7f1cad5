/**
 * A wallet by its provider's interface (EIP-1193): `window.ethereum`, WalletConnect, or the `transport` of a library.
 * Transactions and typed data go to it unchanged; it is asked to switch to their chain first.
 */
import { pause } from "../Track.ts"
import type { SignRequest, TransactionData, Wallet } from "../Wallet.ts"

/** A wallet's provider (EIP-1193). */
export interface Eip1193Provider {
  readonly request: (asked: { readonly method: string; readonly params?: ReadonlyArray<unknown> }) => Promise<unknown>
}

/** What the wallet is made from. */
export interface EthereumWalletOptions {
  readonly provider: Eip1193Provider
  /** The `user` of the quote: the account that sends and signs. */
  readonly account: string
  /** Milliseconds between two looks at a transaction, 1,000 by default. */
  readonly pollEvery?: number
}

type EvmTransaction = Extract<TransactionData, { readonly maxFeePerGas: string }>

const isEvm = (data: TransactionData): data is EvmTransaction => "maxFeePerGas" in data

const quantity = (text: string | number): string => `0x${BigInt(text).toString(16)}`

const hexOf = (text: string): string =>
  `0x${[...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`

const domainTypes: Readonly<Record<string, string>> = {
  name: "string",
  version: "string",
  chainId: "uint256",
  verifyingContract: "address",
  salt: "bytes32"
}

/** Providers want the domain's type among the types (EIP-712), in the order of the standard. */
const withDomain = (request: Extract<SignRequest, { readonly signatureKind: "eip712" }>) => ({
  domain: request.domain,
  types: {
    ...request.types,
    EIP712Domain: Object.entries(domainTypes).flatMap(([name, type]) => name in request.domain ? [{ name, type }] : [])
  },
  primaryType: request.primaryType,
  message: request.value
})

const isText = (value: unknown, what: string): string => {
  if (typeof value === "string") return value
  throw new Error(`the wallet's answer to ${what} is not text`)
}

/** Rejects with the provider's own errors: 4001 is the user's refusal. */
export const ethereumWallet = ({ account, pollEvery = 1_000, provider }: EthereumWalletOptions): Wallet => {
  const ask = (method: string, ...params: ReadonlyArray<unknown>) => provider.request({ method, params })

  const switchTo = async (chainId: string | number): Promise<void> => {
    const wanted = quantity(chainId)
    const current = isText(await ask("eth_chainId"), "eth_chainId")
    if (BigInt(current) !== BigInt(wanted)) await ask("wallet_switchEthereumChain", { chainId: wanted })
  }

  return {
    send: async (data) => {
      if (!isEvm(data)) throw new Error("this transaction is not one of an EVM chain")
      if (data.from.toLowerCase() !== account.toLowerCase()) {
        throw new Error(`the transaction is ${data.from}'s, and the wallet's account is ${account}`)
      }
      await switchTo(data.chainId)
      const sent = await ask("eth_sendTransaction", {
        from: data.from,
        to: data.to,
        data: data.data,
        value: quantity(data.value),
        gas: quantity(data.gas),
        maxFeePerGas: quantity(data.maxFeePerGas),
        maxPriorityFeePerGas: quantity(data.maxPriorityFeePerGas),
        chainId: quantity(data.chainId)
      })
      return isText(sent, "eth_sendTransaction")
    },
    succeeded: async (id) => {
      while (true) {
        const receipt = await ask("eth_getTransactionReceipt", id).catch(() => null)
        if (typeof receipt === "object" && receipt !== null && "status" in receipt) {
          if (BigInt(String(receipt.status)) === 1n) return
          throw new Error(`the transaction ${id} reverted`)
        }
        await pause(pollEvery)
      }
    },
    sign: async (request) => {
      if (request.signatureKind === "eip191") {
        return isText(await ask("personal_sign", hexOf(request.message), account), "personal_sign")
      }
      const { chainId } = request.domain
      if (typeof chainId === "number" || typeof chainId === "string") await switchTo(chainId)
      const signed = await ask("eth_signTypedData_v4", account, JSON.stringify(withDomain(request)))
      return isText(signed, "eth_signTypedData_v4")
    }
  }
}
