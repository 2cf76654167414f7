/** The pages' enhancements with JavaScript. Every page works without. */
import 'uplot/dist/uPlot.min.css'
import './dashboard.css'
import { enhance } from './enhance.ts'

enhance(document.body)
