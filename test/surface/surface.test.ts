/**
 * The public surface as the compiler sees it. All of these tests are one suite, since they read one TypeScript program, which takes longer to
 * make than to read.
 */
import './collisions';
import './docstrings';
import './examples';
import './names';
