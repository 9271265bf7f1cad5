/** The variables about peers (PEER-3, PEER-6), and how they must fit together. */
import { Redacted, Result, Schema } from "effect"
import type { PeerEntry } from "../../../adapters/peers/HttpPeers.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { makePeerPolicy } from "../../../src/domain/quorum/PeerThreshold.ts"
import type { PeerRules } from "../../../src/services/attesting/Cosigning.ts"
import { Problem } from "../../configuration/Variables.ts"
import type { Variable } from "../../configuration/Variables.ts"
import { parsePeers, parseSigners } from "./ParsePeers.ts"

const variable = <A>(declared: Variable<A>): Variable<A> => declared

const between = (minimum: number, maximum: number) =>
  Schema.NumberFromString.pipe(Schema.decodeTo(Schema.Int.check(Schema.isBetween({ minimum, maximum }))))

export const peerVariables = {
  peers: variable({
    name: "PEERS",
    meaning:
      "oracles that are asked to sign what this one signs: `<url>|<key>` separated by semicolons. The key `pass-through` passes the incoming x-api-key on, over https only (or to a loopback address in `local`); an entry that ends in `|shadow` is asked and measured, and never returned",
    schema: Schema.RedactedFromValue(Schema.String, { label: "peers", disallowEncode: true })
  }),
  peerTimeout: variable({
    name: "PEER_REQUEST_TIMEOUT_MS",
    meaning: "milliseconds that a request waits for peers at most, counted from its beginning, 1 to 60000",
    schema: between(1, 60_000),
    fallback: "5000"
  }),
  signers: variable({
    name: "ORACLE_SIGNERS",
    meaning:
      "whose signatures count besides this oracle's own: addresses separated by semicolons, as the hub's gate has them; when unset, any signer that a peer returns",
    schema: Schema.String
  }),
  signersThreshold: variable({
    name: "ORACLE_SIGNERS_THRESHOLD",
    meaning:
      "how many signers to wait for, this oracle among them, 1 to 100; answers with fewer when the time is over and says `signaturesMissing`; all peers are waited for when unset",
    schema: between(1, 100)
  })
} as const

export interface PeerSettings extends PeerRules {
  readonly entries: ReadonlyArray<PeerEntry>
}

type Read<A> = Result.Result<A, Problem>

/** The values read from the variables. */
interface PeerValues {
  readonly peers: Read<Redacted.Redacted | undefined>
  readonly signers: Read<string | undefined>
  readonly signersThreshold: Read<number | undefined>
  readonly peerTimeout: Read<number>
}

/** Other settings that they depend on. */
export interface PeerSurroundings {
  readonly isLocal: boolean
  readonly isShadow: boolean
  /**
   * This oracle's own address, if it is known before the signer is asked. Otherwise /ready/v1 warns about settings that
   * cannot work.
   */
  readonly signer: Address | undefined
}

export const impossibleThreshold = (available: number): string =>
  `ORACLE_SIGNERS_THRESHOLD can never be reached: with these PEERS and ORACLE_SIGNERS at most ${available} can sign, this oracle among them`

const checked = (settings: PeerSettings, { isShadow, signer }: PeerSurroundings): Read<PeerSettings> => {
  const { allowed, entries, threshold } = settings
  if (threshold === undefined) return Result.succeed(settings)
  if (isShadow) {
    return Result.fail(
      new Problem({
        message:
          "ORACLE_SIGNERS_THRESHOLD is set in SHADOW_MODE, where this oracle's signature counts for nothing: leave one of them unset"
      })
    )
  }
  return makePeerPolicy(signer, entries.filter((entry) => !entry.isShadow).length, allowed, threshold).pipe(
    Result.map(() => settings),
    Result.mapError(({ available }) => new Problem({ message: impossibleThreshold(available) }))
  )
}

/** Checks each variable and then all of them together, so that every problem is listed. */
export const peerSettings = (
  { peerTimeout, peers, signers, signersThreshold }: PeerValues,
  surroundings: PeerSurroundings
) => {
  const entries = Result.flatMap(
    peers,
    (text) => text === undefined ? Result.succeed([]) : parsePeers(Redacted.value(text), surroundings.isLocal)
  )
  const allowed = Result.flatMap(signers, (text) => text === undefined ? Result.succeed(undefined) : parseSigners(text))
  const settings = Result.flatMap(
    Result.all({ entries, allowed, threshold: signersThreshold, timeoutMs: peerTimeout }),
    (all) => checked(all, surroundings)
  )
  return { peerEntries: entries, allowedSigners: allowed, peering: settings }
}
