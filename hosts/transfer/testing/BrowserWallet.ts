/**
 * A wallet in a browser's page, with the public interface of wallets (EIP-1193, announced by EIP-6963), whose key is in
 * this test's process. The page's policy forbids other connections, so its questions wait in the page and are fetched.
 */
import { Effect, Schema } from "effect"
import { createWalletClient, http } from "viem"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { mainnet } from "viem/chains"
import type { Tab } from "./Browser.ts"

/** To be run before the page's own scripts. */
export const walletScript = `(() => {
  window.walletQuestions = []
  window.walletAnswers = new Map()
  const provider = {
    request: ({ method, params = [] }) => new Promise((resolve, reject) => {
      const id = Math.random().toString(36)
      window.walletAnswers.set(id, { resolve, reject })
      window.walletQuestions.push({ id, method, params })
    })
  }
  const info = { uuid: "5f2c1d6e-0000-4000-8000-000000000000", name: "Test Wallet", icon: "data:,", rdns: "example.test" }
  const announce = () => dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail: Object.freeze({ info, provider }) }))
  addEventListener("eip6963:requestProvider", announce)
  announce()
})()`

const Questions = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Array(Schema.Struct({ id: Schema.String, method: Schema.String, params: Schema.Array(Schema.Unknown) }))
  )
)

interface Key {
  readonly key: Hex
  /** The chain that transactions are sent to. */
  readonly rpcUrl: string
}

/** Numbers of typed data come as texts. */
const typedData = (text: string) =>
  JSON.parse(
    text,
    (name, value: unknown) =>
      ["amount", "nonce", "deadline", "currencyChainId"].includes(name) && typeof value === "string"
        ? BigInt(value)
        : value
  ) as never

/** Answers the page's questions with this key, until the scope ends. Returns the methods that were asked for. */
export const answerWallet = Effect.fnUntraced(function*(tab: Tab, { key, rpcUrl }: Key) {
  const account = privateKeyToAccount(key)
  const asked: Array<string> = []
  const answer = async (method: string, params: ReadonlyArray<unknown>): Promise<unknown> => {
    switch (method) {
      case "eth_requestAccounts":
        return [account.address]
      case "personal_sign":
        return account.signMessage({ message: { raw: params[0] as Hex } })
      case "eth_signTypedData_v4":
        return account.signTypedData(typedData(String(params[1])))
      case "wallet_switchEthereumChain":
        return null
      case "eth_sendTransaction": {
        const client = createWalletClient({ account, transport: http(rpcUrl) })
        const { data, to } = params[0] as { readonly to: Hex; readonly data: Hex }
        const id = await client.getChainId()
        return client.sendTransaction({ chain: { ...mainnet, id }, to, data })
      }
      default:
        throw new Error(`the wallet does not know ${method}`)
    }
  }
  const turn = Effect.gen(function*() {
    const text = yield* tab.evaluate("JSON.stringify((window.walletQuestions ?? []).splice(0))")
    for (const { id, method, params } of Questions(text)) {
      asked.push(method)
      const said = yield* Effect.promise(() =>
        answer(method, params).then(
          (value) => `resolve(${JSON.stringify(value)})`,
          (cause: unknown) => `reject(new Error(${JSON.stringify(String(cause))}))`
        )
      )
      yield* tab.evaluate(`void window.walletAnswers.get(${JSON.stringify(id)}).${said}`)
    }
    yield* Effect.sleep(20)
  })
  yield* Effect.forkScoped(Effect.forever(turn))
  return asked
})
