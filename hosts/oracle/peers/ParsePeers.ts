/**
 * PEERS and ORACLE_SIGNERS (CONFIG-7, PEER-5, PEER-4): entries `<url>|<key>` or `<url>|<key>|shadow`, separated by `;`.
 *
 * SECURITY: a problem names an entry by its position and repeats nothing of it.
 */
import { Redacted, Result, Schema } from "effect"
import type { PeerEntry } from "../../../adapters/peers/HttpPeers.ts"
import { EthereumAddress } from "../../../src/domain/chain/Address.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { hostOf } from "../../../src/domain/quorum/EndpointQuorum.ts"
import { isLoopback, isPrivate } from "../../../adapters/endpoints/PrivateUrl.ts"
import { Problem } from "../../configuration/Variables.ts"

const PASS_THROUGH = "pass-through"
const SHADOW = "|shadow"

/** Characters that a header can carry. */
const KEY = /^[\x21-\x7e]+$/u

interface RawEntry {
  readonly url: string
  readonly key: string
  readonly isShadow: boolean
}

const entriesOf = (text: string): ReadonlyArray<string> =>
  text.replace(/;\s*$/u, "").split(";").map((entry) => entry.trim())

/** The `|shadow` mark is removed first, so that an entry without a key does not get "shadow" as its key. */
const rawEntry = (entry: string): RawEntry => {
  const isShadow = entry.endsWith(SHADOW)
  const unmarked = isShadow ? entry.slice(0, -SHADOW.length) : entry
  const at = unmarked.indexOf("|")
  return {
    url: (at < 0 ? unmarked : unmarked.slice(0, at)).trim(),
    key: at < 0 ? "" : unmarked.slice(at + 1).trim(),
    isShadow
  }
}

const problemsOfUrl = ({ key, url }: RawEntry, isLocal: boolean): ReadonlyArray<string> => {
  if (!/^https?:\/\//u.test(url) || !URL.canParse(url)) return ["has no http(s) URL"]
  const parsed = new URL(url)
  const mayPassThrough = parsed.protocol === "https:" || (isLocal && isLoopback(parsed))
  return [
    ...(parsed.username === "" && parsed.password === ""
      ? []
      : ["has a user or a password in its URL: a peer knows us by its key"]),
    ...(parsed.search === "" && parsed.hash === "" ? [] : ["has a query or a fragment in its URL"]),
    ...(key === PASS_THROUGH && !mayPassThrough
      ? ["passes the incoming key on without https, which is for loopback addresses in the local environment only"]
      : [])
  ]
}

const problemsOf = (entry: RawEntry, isLocal: boolean): ReadonlyArray<string> => [
  ...problemsOfUrl(entry, isLocal),
  ...(entry.key === "" ? ["has an empty key"] : KEY.test(entry.key) ? [] : ["has a key that no header can carry"])
]

const repeated = (values: ReadonlyArray<string>): boolean => new Set(values).size < values.length

const canonical = (url: string): string => (URL.parse(url)?.href ?? url).replace(/\/+$/u, "")

/** The peers of PEERS, or one problem that lists everything that is wrong with them. */
export const parsePeers = (text: string, isLocal: boolean): Result.Result<ReadonlyArray<PeerEntry>, Problem> => {
  const raw = entriesOf(text).map(rawEntry)
  const keys = raw.map(({ key }) => key).filter((key) => key !== PASS_THROUGH && key !== "")
  const problems = [
    ...raw.flatMap((entry, index) =>
      problemsOf(entry, isLocal).map((problem) => `PEERS: entry ${index + 1} ${problem}`)
    ),
    ...(repeated(keys) ? ["PEERS has the same key twice: each peer needs its own"] : []),
    ...(repeated(raw.map(({ url }) => canonical(url))) ? ["PEERS has the same peer twice"] : [])
  ]
  if (problems.length > 0) return Result.fail(new Problem({ message: problems.join("\n  - ") }))
  const hosts = raw.map(({ url }) => hostOf(url) ?? "")
  return Result.succeed(raw.map(({ isShadow, key, url }, index): PeerEntry => {
    const host = hosts[index] ?? ""
    // Several peers on one host are named by position, because their paths may be keys.
    const name = hosts.filter((each) => each === host).length > 1 ? `${host} (${index + 1})` : host
    return { name, isShadow, url: Redacted.make(url), key: key === PASS_THROUGH ? PASS_THROUGH : Redacted.make(key) }
  }))
}

/** Names of the peers that are asked without TLS, so that requests to them can be read on the network. */
export const unprotected = (peers: ReadonlyArray<PeerEntry>): ReadonlyArray<string> =>
  peers.filter(({ url }) => !isPrivate(new URL(Redacted.value(url)))).map(({ name }) => name)

const decodeSigner = Schema.decodeUnknownResult(EthereumAddress)

/** The addresses of ORACLE_SIGNERS, each once. */
export const parseSigners = (text: string): Result.Result<ReadonlySet<Address>, Problem> => {
  const signers = entriesOf(text).map((entry) => decodeSigner(entry))
  const addresses = signers.flatMap((signer) => Result.isSuccess(signer) ? [signer.success] : [])
  if (addresses.length < signers.length) {
    return Result.fail(
      new Problem({
        message: "ORACLE_SIGNERS has an entry that is not an EVM address: list addresses, separated by semicolons"
      })
    )
  }
  return repeated(addresses)
    ? Result.fail(new Problem({ message: "ORACLE_SIGNERS has the same address twice" }))
    : Result.succeed(new Set(addresses))
}
