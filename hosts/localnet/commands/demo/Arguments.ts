/** The arguments of `npm run demo`, checked against the running network. Each error says what would be right. */
import { base58 } from "@scure/base"
import { address as bitcoinAddresses, networks } from "bitcoinjs-lib"
import { Result } from "effect"
import { Flag } from "effect/cli"
import type { Command } from "effect/cli"
import { isAddress } from "viem/utils"
import { maybe } from "../../../cli/Program.ts"
import type { LocalnetError } from "../../run/LocalnetError.ts"
import type { Localnet } from "../../run/state/LocalnetFile.ts"
import { amountOf, common, currencyOf, hubOf, recipientOf, refusing, symbolsOf } from "./ArgumentValues.ts"
import { demoChains } from "./DemoChain.ts"
import type { Currency, DemoChain } from "./DemoChain.ts"
import type { DemoPlan } from "./DemoTransfer.ts"

export const usage =
  "npm run demo -- --from alpha --to beta --currency ETH --amount 0.1 [--to-currency ETH] [--recipient 0x… | new] [--sponsored] [--deposit-address]"

const fail = refusing(usage)

/** Default values. */
const usual = { from: "alpha", to: "beta", amount: "0.1" }

export const flags = {
  ...common,
  from: Flag.String("from").pipe(Flag.withDescription("the origin"), Flag.withDefault(usual.from)),
  to: Flag.String("to").pipe(Flag.withDescription("the destination"), Flag.withDefault(usual.to)),
  currency: maybe("currency", "what is paid; the origin's native currency unless given"),
  "to-currency": maybe("to-currency", "what is received; the same unless given"),
  amount: Flag.String("amount").pipe(Flag.withDescription("how much is paid"), Flag.withDefault(usual.amount)),
  sponsored: Flag.Boolean("sponsored").pipe(Flag.withDescription("a sponsor pays the fees"), Flag.withDefault(false)),
  "deposit-address": Flag.Boolean("deposit-address").pipe(
    Flag.withDescription("the payment goes to an address made for this transfer"),
    Flag.withDefault(false)
  )
} as const

export type Asked = Command.Command.Config.Infer<typeof flags>

/** The arguments without any word. */
export const nothingAsked: Asked = {
  ...usual,
  currency: undefined,
  "to-currency": undefined,
  recipient: undefined,
  sponsored: false,
  "deposit-address": false
}

/** Chains that a network may run without, and how it is started with them. */
const optional: ReadonlyMap<string, string> = new Map([
  ["solana-local", "this network runs without Solana; stop it and run npm start without --without-solana"],
  ["bitcoin-local", "this network runs without Bitcoin; stop it and run npm start -- --with-bitcoin"],
  ["tron-local", "this network runs without Tron; stop it and run npm start -- --with-tron"],
  ["exchangea-local", "this network runs without exchange A; stop it and run npm start -- --with-exchange-a"]
])

const chainOf = (
  option: string,
  id: string,
  chains: ReadonlyArray<DemoChain>
): Result.Result<DemoChain, LocalnetError> => {
  const found = chains.find((chain) => chain.id === id)
  if (found !== undefined) return Result.succeed(found)
  const start = optional.get(id)
  if (start !== undefined) return fail(`${option} ${id}: ${start}`)
  return fail(`${option} ${id} is none of the chains: ${chains.map((chain) => chain.id).join(", ")}`)
}

const currencyIn = (chain: DemoChain, symbol: string | undefined): Result.Result<Currency, LocalnetError> => {
  if (symbol === undefined) return Result.succeed(chain.native)
  const found = currencyOf(chain.currencies, symbol)
  return found === undefined
    ? fail(`--currency ${symbol} is none of ${symbolsOf(chain.currencies)} on ${chain.id}`)
    : Result.succeed(found)
}

/** The requested currency. By default the same as on the origin, or native for native. */
const currencyOut = (
  chain: DemoChain,
  symbol: string | undefined,
  paid: { readonly symbol: string; readonly isNative: boolean }
): Result.Result<Currency, LocalnetError> => {
  const found = currencyOf(chain.currencies, symbol ?? paid.symbol) ??
    (symbol === undefined && paid.isNative ? chain.native : undefined)
  if (found !== undefined) return Result.succeed(found)
  const known = symbolsOf(chain.currencies)
  return symbol === undefined
    ? fail(`--currency ${paid.symbol} does not exist on ${chain.id}: choose one of ${known} with --to-currency`)
    : fail(`--to-currency ${symbol} is none of ${known} on ${chain.id}`)
}

const isSolanaAddress = (text: string): boolean => {
  try {
    return base58.decode(text).length === 32
  } catch {
    return false
  }
}

const isBitcoinAddress = (text: string): boolean => {
  try {
    return bitcoinAddresses.toOutputScript(text, networks.regtest).length > 0
  } catch {
    return false
  }
}

const isTronAddress = (text: string): boolean => {
  try {
    const bytes = base58.decode(text)
    return bytes.length === 25 && bytes[0] === 0x41
  } catch {
    return false
  }
}

const isAddressOf = {
  "solana-vm": isSolanaAddress,
  "bitcoin-vm": isBitcoinAddress,
  "tron-vm": isTronAddress,
  "exchangea-vm": (text: string): boolean => /^0x[0-9a-fA-F]{40}$/.test(text)
} as const

const recipientOn = (chain: DemoChain, text: string | undefined): Result.Result<string, LocalnetError> => {
  const own = chain.user?.address
  if (text === undefined) {
    return own === undefined
      ? fail(`the network has no account on ${chain.id}: name one with --recipient`)
      : Result.succeed(own)
  }
  if (text === "new") return Result.succeed(text)
  if (chain.vmType !== "ethereum-vm") {
    return isAddressOf[chain.vmType](text)
      ? Result.succeed(text)
      : fail(`--recipient ${text} is no address of ${chain.id}`)
  }
  return isAddress(text)
    ? recipientOf(text, text, fail)
    : fail(`--recipient ${text} is no address of ${chain.id} (or its checksum is wrong)`)
}

/** The requested transfer. The user is the network's first account on the origin. */
export const plan = (values: Asked, localnet: Localnet): Result.Result<DemoPlan, LocalnetError> =>
  Result.gen(function*() {
    const chains = demoChains(localnet)
    const from = yield* chainOf("--from", values.from, chains)
    const to = yield* chainOf("--to", values.to, chains)
    const paid = yield* currencyIn(from, values.currency)
    const received = yield* currencyOut(to, values["to-currency"], {
      symbol: paid.symbol,
      isNative: paid.address === from.native.address
    })
    const amount = yield* amountOf(values.amount, paid, fail)
    const { user } = from
    if (user === undefined) return yield* fail(`the network has no account on ${from.id}`)
    const recipient = yield* recipientOn(to, values.recipient)
    return {
      transferUrl: localnet.transferUrl,
      oracle: { url: localnet.oracleUrl, apiKey: localnet.demo.oracleApiKey },
      hub: hubOf(localnet),
      from: { ...from, currency: paid },
      to: { ...to, currency: received },
      amount,
      user,
      recipient,
      sponsor: values.sponsored ? { apiKey: localnet.demo.apiKey } : undefined,
      way: values["deposit-address"] ? "deposit-address" : "step"
    }
  })
