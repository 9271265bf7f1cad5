/** The arguments of `npm run withdraw`, checked against the running network. Each error says what would be right. */
import { Result } from "effect"
import { Flag } from "effect/cli"
import type { Command } from "effect/cli"
import { addressCodec } from "../../../../src/domain/families/index.ts"
import { getAddress, isAddress, isAddressEqual } from "viem/utils"
import { amountOf, common, currencyOf, hubOf, recipientOf, refusing, symbolsOf } from "../demo/ArgumentValues.ts"
import { asset, btc, collateral, currenciesOf, ether, trx, perps, spot } from "../demo/DemoChain.ts"
import { maybe } from "../../../cli/Program.ts"
import type { LocalnetError } from "../../run/LocalnetError.ts"
import type { Localnet } from "../../run/state/LocalnetFile.ts"
import type { WithdrawalPlan } from "./Withdraw.ts"
import type { Target } from "./WithdrawalChain.ts"

export const usage =
  "npm run withdraw -- --chain alpha [--currency ETH] [--amount 0.05] [--owner 0x… --owner-chain beta] [--recipient 0x…] [--expire]"

const fail = refusing(usage)

export const flags = {
  ...common,
  chain: Flag.String("chain").pipe(Flag.withDescription("where it arrives"), Flag.withDefault("alpha")),
  currency: maybe("currency", "what is withdrawn; the chain's native currency unless given"),
  amount: maybe("amount", "how much; all of it unless given"),
  owner: maybe("owner", "whose; the solver's unless given"),
  "owner-chain": maybe("owner-chain", "the chain of the owner's account on the hub"),
  expire: Flag.Boolean("expire").pipe(
    Flag.withDescription("nobody executes it: it is given back"),
    Flag.withDefault(false)
  )
} as const

export type Asked = Command.Command.Config.Infer<typeof flags>

type Account = Localnet["accounts"][number]

const accountOf = ({ address, privateKey }: Account) => ({ address: getAddress(address), privateKey })

/** The solver, or an account of the network: an owner whose key is here. */
const ownerOf = (text: string | undefined, { accounts, solver }: Localnet) => {
  if (text === undefined) return Result.succeed(accountOf(solver))
  if (!isAddress(text)) return fail(`--owner ${text} is no address (or its checksum is wrong)`)
  const owner = [solver, ...accounts].find(({ address }) => isAddressEqual(address, text))
  return owner === undefined
    ? fail(`--owner ${text} is neither the solver nor one of the network's accounts`)
    : Result.succeed(accountOf(owner))
}

const evmTarget = (chain: Localnet["chains"][number], { currency: asked }: Asked) => {
  const { chainId, depository, id, rpcUrl, vmType } = chain
  const currencies = currenciesOf(chain)
  const currency = asked === undefined ? ether : currencyOf(currencies, asked)
  return currency === undefined
    ? fail(`--currency ${asked} is none of ${symbolsOf(currencies)}`)
    : Result.succeed<Target>({ id, chainId, rpcUrl, vmType, currency, depository: getAddress(depository) })
}

const bitcoinTarget = (chain: NonNullable<Localnet["bitcoin"]>, { currency: asked, expire }: Asked) => {
  const { chainId, depository, explorerUrl, id, rpcUrl, vmType } = chain
  if (expire) return fail("--expire: a PSBT never expires by age, its coins can be spent as long as they exist")
  return asked !== undefined && currencyOf([btc], asked) === undefined
    ? fail(`--currency ${asked} is none of ${symbolsOf([btc])}`)
    : Result.succeed<Target>({ id, chainId, rpcUrl, explorerUrl, vmType, currency: btc, depository })
}

const tronTarget = (chain: NonNullable<Localnet["tron"]>, { currency: asked, recipient }: Asked) => {
  const { accounts, allocator, chainId, depository, id, rpcUrl, tokens, vmType } = chain
  const currencies = [trx, ...tokens]
  const currency = asked === undefined ? trx : currencyOf(currencies, asked)
  if (currency === undefined) return fail(`--currency ${asked} is none of ${symbolsOf(currencies)}`)
  // What it burns would change what arrives.
  const submitter = accounts.find(({ address }) => address !== recipient)
  return submitter === undefined
    ? fail(`the network has no account on ${id} that could submit`)
    : Result.succeed<Target>({ id, chainId, rpcUrl, vmType, currency, native: trx, depository, allocator, submitter })
}

const exchangeATarget = (chain: NonNullable<Localnet["exchangeA"]>, { currency: asked, expire }: Asked) => {
  const { chainId, depository, id, rpcUrl, vmType } = chain
  if (expire) return fail("--expire: a transfer on exchange A never expires by age alone")
  const currencies = [perps, spot]
  const currency = asked === undefined ? perps : currencyOf(currencies, asked)
  return currency === undefined
    ? fail(`--currency ${asked} is none of ${symbolsOf(currencies)}`)
    : Result.succeed<Target>({ id, chainId, rpcUrl, vmType, currency, depository })
}

const exchangeBTarget = (chain: NonNullable<Localnet["exchangeB"]>, { currency: asked, expire }: Asked) => {
  const { chainId, depository, id, rpcUrl, vmType } = chain
  if (expire) return fail("--expire: a transfer that exchange B has never seen does not expire")
  const currencies = [collateral, asset]
  const currency = asked === undefined ? collateral : currencyOf(currencies, asked)
  return currency === undefined
    ? fail(`--currency ${asked} is none of ${symbolsOf(currencies)}`)
    : Result.succeed<Target>({ id, chainId, rpcUrl, vmType, currency, depository })
}

/** Where it leaves. */
const targetOf = (values: Asked, { bitcoin, chains, exchangeA, exchangeB, tron }: Localnet) => {
  const evm = chains.find(({ id }) => id === values.chain)
  if (evm !== undefined) return evmTarget(evm, values)
  if (bitcoin?.id === values.chain) return bitcoinTarget(bitcoin, values)
  if (tron?.id === values.chain) return tronTarget(tron, values)
  if (exchangeA?.id === values.chain) return exchangeATarget(exchangeA, values)
  if (exchangeB?.id === values.chain) return exchangeBTarget(exchangeB, values)
  const names = [...chains, bitcoin, tron, exchangeA, exchangeB].flatMap((each) => each?.id ?? []).join(", ")
  return fail(`--chain ${values.chain} is none of the chains: ${names}`)
}

type OtherFamily = Exclude<Target["vmType"], "ethereum-vm">

/** Of a family: the solver's account there, the codec of recipients, and what people call it. */
const othersOf = (vmType: OtherFamily, { bitcoin, exchangeA, exchangeB, tron }: Localnet) => {
  switch (vmType) {
    case "bitcoin-vm":
      return [bitcoin?.solver.address, addressCodec(vmType, "regtest"), "Bitcoin chain"] as const
    case "tron-vm":
      return [tron?.solver.address, addressCodec(vmType), "Tron chain"] as const
    case "exchangea-vm":
      return [exchangeA?.solver.address, addressCodec(vmType), "exchange A"] as const
    case "exchangeb-vm":
      return [exchangeB?.solver.index.toString(), addressCodec(vmType), "exchange B"] as const
  }
}

/** An owner without an address there is paid at the solver's. */
const otherRecipient = (vmType: OtherFamily, text: string | undefined, localnet: Localnet) => {
  const [solver, codec, name] = othersOf(vmType, localnet)
  return Result.orElse(
    codec.parse(text ?? solver ?? ""),
    () => fail(`--recipient ${text} is no address of a local ${name}`)
  )
}

/** The requested withdrawal. By default the solver's, of its whole balance there. */
export const plan = (values: Asked, localnet: Localnet): Result.Result<WithdrawalPlan, LocalnetError> =>
  Result.gen(function*() {
    const chain = yield* targetOf(values, localnet)
    const settlement = localnet.chains.find((each) => each.settlement)
    const home = values["owner-chain"] ?? settlement?.id
    if (home === undefined || !localnet.chains.some(({ id }) => id === home)) {
      const names = localnet.chains.map(({ id }) => id).join(", ")
      return yield* fail(`--owner-chain ${home} is none of the chains: ${names}`)
    }
    const amount = values.amount === undefined ? undefined : yield* amountOf(values.amount, chain.currency, fail)
    const owner = yield* ownerOf(values.owner, localnet)
    const recipient = chain.vmType === "ethereum-vm"
      ? yield* recipientOf(values.recipient, owner.address, fail)
      : yield* otherRecipient(chain.vmType, values.recipient, localnet)
    // The submitter pays gas, so it must not be the recipient: the gas would change the amount that arrives.
    const submitter = localnet.accounts.find(({ address }) =>
      getAddress(address) !== recipient && !isAddressEqual(address, owner.address)
    )
    if (submitter === undefined) return yield* fail("the network has no account that could submit")
    return {
      oracle: { url: localnet.oracleUrl, apiKey: localnet.demo.oracleApiKey },
      hub: hubOf(localnet),
      chain,
      owner: { ...owner, chain: home },
      recipient,
      amount,
      allocator: accountOf(localnet.allocator),
      submitter: accountOf(submitter),
      end: values.expire ? "expired" : "executed"
    }
  })
