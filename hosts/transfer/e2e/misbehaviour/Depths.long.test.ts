import { reorganisationSuite } from "./testing/Depths.ts"

reorganisationSuite(6)
