/** What each probe ends as on a family's chain: the answer of the same pure functions that a quote begins with. */
import { Result } from "effect"
import { servedParameters } from "../../../hosts/transfer/endpoints/quote/QuoteApi.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { FamilyName } from "../../../src/domain/chain/VmFamily.ts"
import { can } from "../../../src/domain/families/FamilyRules.ts"
import type { QuoteRefused } from "../../../src/domain/quote/QuoteError.ts"
import { planQuote } from "../../../src/domain/quote/QuotePlan.ts"
import { makeRequestDecoder } from "../../../src/domain/quote/request/DecodeRequest.ts"
import { resolveRequest } from "../../../src/domain/quote/request/ResolveRequest.ts"
import { accountOn, chainsOf, familyNames, localChains } from "./LocalChains.ts"
import { probes } from "./Probes.ts"
import type { Probe, Route, Values } from "./Probes.ts"

/** As which of a request's chains the family was tried. */
export type Role = "origin" | "destination" | "both"

export interface Outcome {
  readonly role: Role
  readonly body: Readonly<Record<string, unknown>>
  /** Undefined where the request is served. */
  readonly refused: QuoteRefused | undefined
}

const decode = makeRequestDecoder(servedParameters)

/** A token where there is one: native currency has no permits and no topups. */
const currencyOf = ({ currencies, native }: Chain): string =>
  (currencies.find((each) => !each.isNative) ?? native).address

const otherCurrencyOf = (chain: Chain): string =>
  (chain.currencies.find(({ address }) => address !== currencyOf(chain)) ?? chain.native).address

const bodyOf = ({ destination, origin }: Route, values: Values) => ({
  user: accountOn(origin),
  recipient: accountOn(destination),
  originChainId: origin.id,
  destinationChainId: destination.id,
  originCurrency: currencyOf(origin),
  destinationCurrency: origin === destination ? otherCurrencyOf(destination) : currencyOf(destination),
  amount: "100000000",
  tradeType: "EXACT_INPUT",
  ...values
})

const asked = (role: Role, body: Outcome["body"]): Outcome => {
  const answer = Result.gen(function*() {
    const request = yield* decode(body)
    return yield* planQuote(request, yield* resolveRequest(request, localChains))
  })
  return { role, body, refused: Result.isFailure(answer) ? answer.failure : undefined }
}

const [evm, otherEvm] = chainsOf("ethereum-vm")

/** The family as origin, as destination, or as both, beside an EVM chain. */
const routeOf = (family: FamilyName, role: Role): Route => {
  const [chain] = chainsOf(family)
  if (chain === undefined || evm === undefined || otherEvm === undefined) throw new Error(`no chain of ${family}`)
  const partner = chain === evm ? otherEvm : evm
  switch (role) {
    case "origin":
      return { origin: chain, destination: partner }
    case "destination":
      return { origin: partner, destination: chain }
    case "both":
      return { origin: chain, destination: chain }
  }
}

const rolesOf = ({ side }: Probe): ReadonlyArray<Role> => {
  switch (side) {
    case "any":
      return ["origin", "destination"]
    case "within":
      return ["both"]
    default:
      return [side]
  }
}

export const outcomesOf = (family: FamilyName, probe: Probe): ReadonlyArray<Outcome> =>
  rolesOf(probe).map((role) => {
    const route = routeOf(family, role)
    return asked(role, bodyOf(route, probe.values(route)))
  })

/** A payment of the user itself: one currency on one chain. That it pays somebody else is checked later. */
export const sendWithin = (family: FamilyName): Outcome => {
  const route = routeOf(family, "both")
  return asked("both", bodyOf(route, { destinationCurrency: currencyOf(route.origin) }))
}

/** Undefined where the family has what the parameter acts on. */
export const nothingFor = (family: FamilyName, { needs, only }: Probe): string | undefined => {
  const [chain] = chainsOf(family)
  if (only !== undefined && !only[0].includes(family)) return only[1]
  const isServed = needs === undefined || chain === undefined ||
    needs[0].some((ability) => can(chain.family, ability))
  return isServed ? undefined : needs[1]
}

export interface Refused extends Outcome {
  readonly family: FamilyName
  readonly refused: QuoteRefused
}

/** Every request that a family refuses. */
export const allRefused: ReadonlyArray<Refused> = familyNames.flatMap((family) =>
  [...Object.values(probes).flatMap((probe) => outcomesOf(family, probe)), sendWithin(family)].flatMap((outcome) =>
    outcome.refused === undefined ? [] : [{ ...outcome, family, refused: outcome.refused }]
  )
)
