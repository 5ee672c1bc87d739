// The published npm iii-sdk 0.22.1 on our engine: trigger types and bindings.
import { sdks } from './lib/sdks.mjs'
import { triggerSuite } from './lib/trigger_suite.mjs'

triggerSuite(sdks['0.22.1'])
