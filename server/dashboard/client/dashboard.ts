/** What the pages do better with JavaScript. Every one of them works without. */
import 'uplot/dist/uPlot.min.css'
import './dashboard.css'
import { enhance } from './enhance.ts'

enhance(document.body)
