/** Wallets in this browser: found by EIP-6963 or as `window.ethereum`, and asked by EIP-1193. */
import { list, messageOf, text } from "./Decode.ts"

export interface Provider {
  readonly request: (asked: { readonly method: string; readonly params?: ReadonlyArray<unknown> }) => Promise<unknown>
}

export interface FoundWallet {
  readonly name: string
  readonly provider: Provider
}

const isProvider = (value: unknown): value is Provider =>
  typeof value === "object" && value !== null && "request" in value && typeof value.request === "function"

const announced = (event: Event): FoundWallet | undefined => {
  if (!(event instanceof CustomEvent)) return undefined
  const detail: unknown = event.detail
  if (typeof detail !== "object" || detail === null || !("provider" in detail) || !("info" in detail)) return undefined
  const { info, provider } = detail
  const name = typeof info === "object" && info !== null && "name" in info ? info.name : undefined
  return isProvider(provider) ? { name: typeof name === "string" ? name : "Wallet", provider } : undefined
}

/** The wallets that announce themselves; else the one that calls itself `window.ethereum`. */
export const findWallets = async (): Promise<ReadonlyArray<FoundWallet>> => {
  const found: Array<FoundWallet> = []
  const hear = (event: Event) => {
    const wallet = announced(event)
    if (wallet !== undefined && !found.some(({ provider }) => provider === wallet.provider)) found.push(wallet)
  }
  addEventListener("eip6963:announceProvider", hear)
  dispatchEvent(new Event("eip6963:requestProvider"))
  await new Promise((resolve) => setTimeout(resolve, 50))
  removeEventListener("eip6963:announceProvider", hear)
  const usual: unknown = "ethereum" in window ? window.ethereum : undefined
  return found.length === 0 && isProvider(usual) ? [{ name: "Browser wallet", provider: usual }] : found
}

/** The account that the owner chooses. */
export const chooseAccount = async ({ provider }: FoundWallet): Promise<string> => {
  const [account] = list(text)(await provider.request({ method: "eth_requestAccounts" }))
  if (account === undefined) throw new Error("the wallet gave no account")
  return account
}

/** The wallet in this browser that holds an account. */
export const walletOf = async (account: string): Promise<FoundWallet> => {
  for (const wallet of await findWallets()) {
    const accounts = list(text)(await wallet.provider.request({ method: "eth_requestAccounts" }))
    if (accounts.some((each) => each.toLowerCase() === account.toLowerCase())) return wallet
  }
  throw new Error(`no wallet in this browser holds ${account}`)
}

const hexOf = (message: string): string =>
  `0x${[...new TextEncoder().encode(message)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`

const asked = async <A>(answer: Promise<A>): Promise<A> => {
  try {
    return await answer
  } catch (cause) {
    throw new Error(messageOf(cause) ?? "the wallet refused", { cause })
  }
}

export const signMessage = async ({ provider }: FoundWallet, account: string, message: string): Promise<string> =>
  text(await asked(provider.request({ method: "personal_sign", params: [hexOf(message), account] })))

/** EIP-712. */
export const signTyped = async ({ provider }: FoundWallet, account: string, data: object): Promise<string> =>
  text(await asked(provider.request({ method: "eth_signTypedData_v4", params: [account, JSON.stringify(data)] })))

/** Sends a transaction on a chain. Returns its hash. */
export const sendTransaction = async (
  { provider }: FoundWallet,
  chainId: number,
  transaction: object
): Promise<string> => {
  await asked(
    provider.request({ method: "wallet_switchEthereumChain", params: [{ chainId: `0x${chainId.toString(16)}` }] })
  )
  return text(await asked(provider.request({ method: "eth_sendTransaction", params: [transaction] })))
}
