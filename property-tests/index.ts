/**
 * `causeway-kit/property-tests`: the laws of the core, each a function of the implementation under test, so a team can
 * test its own policy: `for (const { check, name } of sponsorshipLaws(mySplit)) it(name, () => check(1_000))`.
 *
 * Needs fast-check and no test runner. Not for examples or performance tests.
 */
export { type Codec, codecLaws } from "./Codec.ts"
export { type CreditCodec, creditCalldataLaws } from "./CreditCalldata.ts"
export { judgeLaws } from "./Evidence.ts"
export { withdrawalLaws } from "./EvidenceWithdrawals.ts"
export { chainFactsContract, chainObserverContract } from "./family/Observing.ts"
export { depositWatcherContract, finalScanContract } from "./family/DepositWatcher.ts"
export { type Contract, FamilyFixture } from "./family/FamilyFixture.ts"
export { gasContract, sentTransactionsContract, treasuryContract } from "./family/Payments.ts"
export {
  addressBalancesContract,
  namedSendContract,
  sendWatcherContract,
  stepBuilderContract
} from "./family/Quoting.ts"
export { contractsOn, type Lacks, type TraitPorts } from "./family/Traits.ts"
export { type Trait } from "./family/Trait.ts"
export { familyRulesLaws, type RulesUnderTest } from "./family/Rules.ts"
export { type Law, law, must } from "./Law.ts"
export { ledgerLaws, type LedgerUnderTest } from "./Ledger.ts"
export { type Judges, type NegativeCase, negativeCases, verdictOf, worldOf } from "./NegativeSuite.ts"
export { type PeerImplementation, peerLaws } from "./Peers.ts"
export { pricingLaws, type PricingUnderTest } from "./Pricing.ts"
export { type QuorumImplementation, quorumLaws } from "./Quorum.ts"
export { sponsorshipLaws } from "./Sponsorship.ts"
export { actualSplitLaws } from "./SponsorshipActual.ts"
export { splitInputs } from "./SponsorshipInputs.ts"
export { type StatusMachine, statusLaws } from "./Status.ts"
export { openOutcomeLaws, strictOutcomeLaws } from "./StrictOutcomes.ts"
