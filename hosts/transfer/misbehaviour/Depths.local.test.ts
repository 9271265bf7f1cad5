import { reorganisationSuite } from "./testing/Depths.ts"

// As local chains are configured: two blocks on top make one final.
reorganisationSuite(2)
