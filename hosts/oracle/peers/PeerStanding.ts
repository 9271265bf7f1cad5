/**
 * This oracle's standing with its peers, for the log at start and for /ready/v1: names, numbers and warnings, no URL or
 * key.
 */
import { Context, Result } from "effect"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { makePeerPolicy } from "../../../src/domain/quorum/PeerThreshold.ts"
import { unprotected } from "./ParsePeers.ts"
import { impossibleThreshold } from "./PeerVariables.ts"
import type { PeerSettings } from "./PeerVariables.ts"

export interface Standing {
  readonly active: number
  readonly shadows: number
  /**
   * How many addresses ORACLE_SIGNERS names, whose signatures count besides this oracle's own; undefined when the
   * signature of any signer counts.
   */
  readonly signers: number | undefined
  readonly threshold: number | undefined
  /** What an operator should fix or know. */
  readonly warnings: ReadonlyArray<string>
}

export class PeerStanding extends Context.Service<PeerStanding, {
  /** `signer`: this oracle's own address; undefined until a remote key holder has reported it. */
  readonly standing: (signer: Address | undefined) => Standing
}>()("causeway/oracle/PeerStanding") {}

export const standingOf = ({ allowed, entries, threshold }: PeerSettings, signer: Address | undefined): Standing => {
  const active = entries.filter(({ isShadow }) => !isShadow).length
  const anybody = active > 0 && allowed === undefined
  return {
    active,
    shadows: entries.length - active,
    signers: allowed?.size,
    threshold,
    warnings: [
      ...(anybody && (threshold ?? 1) > 1
        ? [
          "ORACLE_SIGNERS is not set: a hostile peer can reach the threshold with an invented signer, and the gate then refuses all signatures"
        ]
        : []),
      ...(anybody && (threshold ?? 1) <= 1
        ? [
          "ORACLE_SIGNERS is not set: any signer that a peer returns counts, and the gate refuses all signatures if it does not know one of them"
        ]
        : []),
      ...(allowed !== undefined && signer !== undefined && !allowed.has(signer)
        ? ["ORACLE_SIGNERS does not name this oracle itself, whose signature is returned anyway"]
        : []),
      ...(active > 0 && threshold === 1
        ? ["ORACLE_SIGNERS_THRESHOLD is 1: this oracle's own signature reaches it, and no peer is waited for"]
        : []),
      ...Result.match(makePeerPolicy(signer, active, allowed, threshold), {
        onSuccess: () => [],
        onFailure: ({ available }) => [impossibleThreshold(available)]
      }),
      ...unprotected(entries).map((name) => `peer ${name} is asked without TLS: its key can be read on the network`)
    ]
  }
}
