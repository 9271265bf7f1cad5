/**
 * The arguments of `npm run demo`, checked against the network that runs: what
 * is wrong is said with what would be right.
 */
import { Result } from "effect"
import { parseArgs } from "node:util"
import type { Address } from "viem"
import { zeroAddress } from "viem"
import { getAddress, isAddress, parseUnits } from "viem/utils"
import { LocalnetError, reasonOf } from "../LocalnetError.ts"
import type { Localnet } from "../LocalnetFile.ts"
import type { Currency, DemoPlan } from "./DemoTransfer.ts"

export const usage =
  "npm run demo -- --from alpha --to beta --currency ETH --amount 0.1 [--recipient 0x…]"

const fail = (message: string) => Result.fail(new LocalnetError({ message: `${message}\nusage: ${usage}` }))

const native: Currency = { symbol: "ETH", address: zeroAddress, decimals: 18 }

const currencyOn = (chain: Localnet["chains"][number], symbol: string): Currency | undefined =>
  [native, ...chain.tokens.map(({ address, ...token }) => ({ ...token, address: getAddress(address) }))]
    .find((currency) => currency.symbol.toUpperCase() === symbol.toUpperCase())

const parse = (words: ReadonlyArray<string>) =>
  Result.try({
    try: () =>
      parseArgs({
        args: [...words],
        options: {
          from: { type: "string", default: "alpha" },
          to: { type: "string", default: "beta" },
          currency: { type: "string", default: "ETH" },
          amount: { type: "string", default: "0.1" },
          recipient: { type: "string" },
          help: { type: "boolean", default: false }
        }
      }).values,
    catch: (cause) => new LocalnetError({ message: `${reasonOf(cause)}\nusage: ${usage}` })
  })

const amountOf = (text: string, { decimals, symbol }: Currency) => {
  const parts = /^([0-9]{1,60})(?:\.([0-9]{1,60}))?$/.exec(text)
  if (parts === null) return fail(`--amount ${text} is no decimal number`)
  if ((parts[2] ?? "").length > decimals) return fail(`--amount ${text} has more than the ${decimals} decimals of ${symbol}`)
  const amount = parseUnits(text, decimals)
  return amount === 0n ? fail("--amount must be more than zero") : Result.succeed(amount)
}

const recipientOf = (text: string | undefined, user: Address) => {
  if (text === undefined) return Result.succeed(user)
  return isAddress(text) ? Result.succeed(getAddress(text)) : fail(`--recipient ${text} is no address (or its checksum is wrong)`)
}

/** The transfer that the arguments ask for; the user is the network's first account. */
export const plan = (words: ReadonlyArray<string>, localnet: Localnet): Result.Result<DemoPlan, LocalnetError> =>
  Result.gen(function*() {
    const values = yield* parse(words)
    const names = localnet.chains.map((chain) => chain.id).join(", ")
    const from = localnet.chains.find((chain) => chain.id === values.from)
    const to = localnet.chains.find((chain) => chain.id === values.to)
    if (from === undefined) return yield* fail(`--from ${values.from} is none of the chains: ${names}`)
    if (to === undefined) return yield* fail(`--to ${values.to} is none of the chains: ${names}`)
    const symbols = ["ETH", ...from.tokens.map((token) => token.symbol)].join(", ")
    const currencyIn = currencyOn(from, values.currency)
    if (currencyIn === undefined) return yield* fail(`--currency ${values.currency} is none of ${symbols}`)
    const currencyOut = currencyOn(to, values.currency)
    if (currencyOut === undefined) return yield* fail(`--currency ${values.currency} does not exist on ${to.id}`)
    const amount = yield* amountOf(values.amount, currencyIn)
    const [account] = localnet.accounts
    if (account === undefined) return yield* fail("the network has no account")
    const user = { address: getAddress(account.address), privateKey: account.privateKey }
    const recipient = yield* recipientOf(values.recipient, user.address)
    return {
      transferUrl: localnet.transferUrl,
      oracle: { url: localnet.oracleUrl, apiKey: localnet.demo.oracleApiKey },
      hub: {
        id: "hub",
        chainId: localnet.hub.chainId,
        rpcUrl: localnet.hub.rpcUrl,
        hubAddress: getAddress(localnet.hub.hubAddress)
      },
      from: { id: from.id, chainId: from.chainId, rpcUrl: from.rpcUrl, currency: currencyIn },
      to: { id: to.id, chainId: to.chainId, rpcUrl: to.rpcUrl, currency: currencyOut },
      amount,
      user,
      recipient
    }
  })
