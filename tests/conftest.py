"""What tests of several folders share, and the order in which files are run."""

import gc
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typing_commands import Typed

LONGEST = (
    "test_digests.py",
    "test_docs.py",
    "test_guards.py",
    "test_induction.py",
    "test_check.py",
    "test_full_tables.py",
    "test_mccr.py",
    "test_drawn_chance.py",
    "test_algorithms.py",
    "test_sm_mcts.py",
    "test_cli.py",
    "test_leaves.py",
    "test_edges.py",
    "test_double_oracle.py",
    "test_oos.py",
    "test_sm_oos.py",
    "test_buckets.py",
    "test_dealer.py",
    "test_smooth_uct.py",
    "test_holdem_beliefs.py",
    "test_long_runs.py",
    "test_cli_evaluate.py",
    "test_interpreted.py",
    "test_thin_beliefs.py",
    "test_tournament.py",
    "test_archives.py",
    "test_targeting.py",
    "test_tree.py",
    "test_sm_commands.py",
    "test_rule_errors.py",
    "test_ismcts.py",
    "test_continual.py",
    "test_mccfr.py",
    "test_cold_start.py",
    "test_cli_search.py",
    "test_aggregate.py",
    "test_interrupting.py",
)
"""Files that take longest when nothing is compiled, the longest first.

Processes that work in parallel take whole files, in this order. So none waits for another at the
end, and kernels that a file compiles for itself alone are compiled by one process only.
"""


THOROUGH = (
    "cli/test_cli_search.py::test_every_search_can_be_used[mo]",
    "cli/test_edges.py::test_letters_that_the_terminal_lacks[surroundings1]",
    "compiled/test_interpreted.py::test_compiled_and_interpreted_runs_agree_bit_for_bit[searches]",
    "compiled/test_interpreted.py::test_no_index_is_out_of_bounds",
    "evaluation/test_convergence.py::test_oos_falls",
    "evaluation/test_interrupting.py::test_ctrl_c_tells_what_is_known_and_the_same_command_goes_on[1]",
    "experiments/test_pursuit.py::test_small_games_are_solved_and_searched",
    "experiments/test_variants.py::test_statistics_are_wiped_when_the_match_moves_on",
    "experiments/test_variants.py::test_the_printed_factor_is_the_reciprocal_one",
    "games/checking/test_drawing.py::test_honest_games_keep_the_law[game0]",
    "games/checking/test_drawing.py::test_honest_games_keep_the_law[game1",
    "games/checking/test_drawing.py::test_honest_games_keep_the_law[game3]",
    "games/poker/test_buckets.py::test_strength_is_what_brute_force_finds[AcAd-river]",
    "games/pursuit/test_pursuit_evasion.py::test_keeps_the_laws[game0]",
    "games/pursuit/test_pursuit_evasion.py::test_keeps_the_laws[game1",
    "games/test_tron.py::test_keeps_the_laws[Tron(rows=13",
    "games/test_tron.py::test_keeps_the_laws[Tron(rows=2",
    "games/test_tron.py::test_random_plays_follow_the_rules[Tron(rows=13",
    "games/test_wrapped.py::test_a_search_of_it_finds_the_same_to_the_last_bit",
    "interop/acpc/test_dealer.py::test_a_search_sits_at_a_dealer",
    "players/test_match.py::test_histories_alike_to_a_player_have_the_same_policy[PTTT-ismcts",
    "players/test_players.py::test_moves_take_their_time_and_no_longer[oos(targeting=ist)]",
    "players/test_players.py::test_moves_take_their_time_and_no_longer[oos(targeting=pst)]",
    "proof/test_exploit.py::test_several_threads_are_answered_the_same[oos(",
    "proof/test_exploit.py::test_the_answers_of_a_search_are_the_same_by_histories_and_by_events",
    "proof/test_stream.py::test_dropped_keys_change_nothing[0]",
    "proof/test_stream.py::test_dropped_keys_change_nothing[1]",
    "proof/test_stream.py::test_every_game_that_can_be_written_out_agrees_with_its_tree",
    "search/auto/test_auto.py::test_threads_search_at_the_same_time_and_it_repeats_itself[OZ",
    "search/auto/test_auto.py::test_threads_search_at_the_same_time_and_it_repeats_itself[tricks",
    "search/auto/test_auto.py::test_what_is_too_large_at_first_is_solved_later_in_a_match",
    "search/auto/test_auto.py::test_what_is_too_large_to_be_resolved_is_sampled_or_searched_by_a_tree[dark_hex",
    "search/auto/test_auto.py::test_where_an_evaluation_is_far_sighted",
    "search/auto/test_corners.py::test_where_players_forget_it_searches_a_tree[VP]",
    "search/belief/test_belief.py::test_a_capped_belief_is_an_unbiased_sample",
    "search/belief/test_belief.py::test_whole_matches_keep_a_living_belief[GP(4,6,4,4)]",
    "search/belief/test_drawn_chance.py::test_a_deal_of_millions_of_outcomes_is_drawn",
    "search/belief/test_drawn_chance.py::test_exact_resolving_of_a_game_that_also_draws",
    "search/belief/test_drawn_chance.py::test_matches_and_reports_need_no_list",
    "search/belief/test_drawn_chance.py::test_oos_finds_the_equilibrium_of_a_game_without_a_list[history]",
    "search/belief/test_drawn_chance.py::test_targeted_samples_weigh_as_they_should[ist]",
    "search/belief/test_targeting.py::test_counterfactual_regrets_stay_unbiased[Kuhn-0.9-history-",
    "search/belief/test_targeting.py::test_terminal_frequencies_are_s1_and_s2[Kuhn-ist]",
    "search/belief/test_thin_beliefs.py::test_a_belief_is_no_larger_than_the_search",
    "search/belief/test_thin_beliefs.py::test_a_thin_sample_becomes_whole",
    "search/belief/test_thin_beliefs.py::test_no_match_ends_for_want_of_a_belief[pimc",
    "search/joint/test_double_oracle.py::test_it_agrees_with_backward_induction[OshiZumo(coins=8",
    "search/joint/test_double_oracle.py::test_it_agrees_with_backward_induction[VariedMoves",
    "search/joint/test_double_oracle.py::test_its_play_is_optimal[VariedMoves",
    "search/joint/test_sm_commands.py::test_search[arguments1",
    "search/joint/test_sm_commands.py::test_search[arguments2",
    "search/joint/test_sm_mcts.py::test_agrees_with_the_figure_where_rules_are_compiled",
    "search/joint/test_sm_mcts.py::test_agrees_with_the_figure_word_for_word[duel-drm-parameters4",
    "search/joint/test_sm_mcts.py::test_agrees_with_the_figure_word_for_word[duel-drm-parameters7",
    "search/joint/test_sm_mcts.py::test_agrees_with_the_figure_word_for_word[duel-duct-parameters6",
    "search/joint/test_sm_mcts.py::test_agrees_with_the_figure_word_for_word[duel-rm-parameters10",
    "search/joint/test_sm_mcts.py::test_agrees_with_the_figure_word_for_word[duel-rm-parameters8",
    "search/joint/test_sm_mcts.py::test_agrees_with_the_figure_word_for_word[goofspiel(4)-drm-parameters4",
    "search/joint/test_sm_mcts.py::test_agrees_with_the_figure_word_for_word[goofspiel(4)-drm-parameters7",
    "search/joint/test_sm_mcts.py::test_agrees_with_the_figure_word_for_word[goofspiel(4)-duct-parameters1",
    "search/joint/test_sm_mcts.py::test_agrees_with_the_figure_word_for_word[goofspiel(4)-duct-parameters6",
    "search/joint/test_sm_mcts.py::test_agrees_with_the_figure_word_for_word[goofspiel(4)-rm-parameters10",
    "search/joint/test_sm_mcts.py::test_agrees_with_the_figure_word_for_word[goofspiel(4)-rm-parameters8",
    "search/joint/test_sm_mcts.py::test_agrees_with_the_figure_word_for_word[goofspiel(4)-rm-parameters9",
    "search/joint/test_sm_mcts.py::test_the_duel_keeps_the_laws",
    "search/joint/test_sm_oos.py::test_agrees_with_the_figure_where_rules_are_compiled",
    "search/joint/test_sm_oos.py::test_agrees_with_the_figure_word_for_word[duel-True",
    "search/resolving/test_external.py::test_gets_better_with_time[IIGS(4)",
    "search/resolving/test_external.py::test_what_is_added_is_right_on_average[Kuhn-0-False",
    "search/resolving/test_external.py::test_whole_matches[IIGS(5)",
    "search/resolving/test_mccr.py::test_at_the_root_a_match_goes_on_with_what_was_found_before_play[reset]",
    "search/resolving/test_mccr.py::test_equal_seeds_give_equal_results_however_cut[predictive]",
    "search/resolving/test_mccr.py::test_gets_better_with_time[IIGS(4)-reset",
    "search/resolving/test_mccr.py::test_what_is_added_is_right_on_average[Kuhn-0-False",
    "search/resolving/test_mccr.py::test_what_is_added_is_right_on_average[Kuhn-1-True-set",
    "search/resolving/test_mccr.py::test_what_is_added_is_right_on_average[hidden turns-1-False-h",
    "search/resolving/test_mccr.py::test_what_is_added_is_right_on_average[hidden turns-1-False-o",
    "search/resolving/test_mccr.py::test_whole_matches[IIGS(5)-keep",
    "search/resolving/test_mccr.py::test_whole_matches[IIGS(5)-reset]",
    "search/rules/test_leaves.py::test_ismcts_word_for_word",
    "search/rules/test_leaves.py::test_oos_word_for_word",
    "search/sampling/test_ismcts.py::test_every_rule_searches_games_of_hidden_information[game-PTTT",
    "search/sampling/test_ismcts.py::test_random_play_is_beaten[",
    "search/sampling/test_observers.py::test_agrees_with_its_twin[Kuhn-rm-single]",
    "search/sampling/test_observers.py::test_all_selection_rules_and_more_players[exp3-",
    "search/sampling/test_oos.py::test_bytes_per_information_set[IIGS(5)]",
    "search/sampling/test_oos.py::test_sampled_counterfactual_regrets_are_unbiased[IIGS(3)-15-predictive",
    "search/sampling/test_oos.py::test_sampled_counterfactual_regrets_are_unbiased[Kuhn-200-predictive",
    "search/sampling/test_oos.py::test_sampled_counterfactual_regrets_are_unbiased[Kuhn-3-off",
    "search/sampling/test_redetermining.py::test_starts_are_histories_that_their_player_cannot_tell_from_the_universe[Leduc",
    "search/test_algorithms.py::test_memory_is_kept_within[auto]",
    "search/test_algorithms.py::test_memory_is_kept_within[doab]",
    "search/test_algorithms.py::test_solvers_solve_or_say_why_not[induction-Kuhn",
    "search/test_algorithms.py::test_the_reason_for_a_refusal_is_what_the_constructor_says[auto-GS(3)",
    "search/test_cluster.py::test_it_makes_no_difference_where_streams_are[1-oos baseline",
    "search/test_cluster.py::test_it_makes_no_difference_where_streams_are[1-smmcts",
    "search/test_cluster.py::test_it_makes_no_difference_where_streams_are[2-oos baseline",
    "search/test_cluster.py::test_it_makes_no_difference_where_streams_are[2-smmcts",
    "search/test_digests.py::test_no_bit_has_changed[IIGS(4) written out-oos predictive",
    "search/test_digests.py::test_no_bit_has_changed[LD(1,1,3)-ismcts redetermined",
    "search/test_digests.py::test_no_bit_has_changed[LD(1,1,3)-oos predictive",
    "search/test_digests.py::test_no_bit_has_changed[LD(1,1,3)-oos set",
    "search/test_digests.py::test_no_bit_has_changed[Leduc written out-oos predictive",
    "search/test_digests.py::test_no_bit_has_changed[random(3,3)-smmcts exp3",
    "search/test_full_tables.py::test_pieces_and_files_make_no_difference[ismcts-1048576]",
    "search/test_full_tables.py::test_pieces_and_files_make_no_difference[oos with baselines",
    "search/test_full_tables.py::test_pieces_and_files_make_no_difference[oos-1048576]",
    "search/test_full_tables.py::test_pieces_and_files_make_no_difference[oos-3145728",
    "search/test_full_tables.py::test_pieces_and_files_make_no_difference[smmcts",
    "search/test_guards.py::test_a_broken_law_is_told_with_the_way_there[too many actions-unroll",
    "search/test_guards.py::test_in_the_middle_of_a_match_too",
    "search/test_guards.py::test_resolving_is_guarded_where_nobody_knows_the_way",
    "search/test_guards.py::test_the_faults_are_rare",
    "search/test_istmcts.py::test_long_runs_choose_a_best_move[e1 a1-none",
    "search/test_streams.py::test_a_match_is_followed_with_streams[oos]",
    "search/test_streams.py::test_a_search_with_streams_goes_on_from_a_file[sm-oos]",
    "search/test_streams.py::test_a_search_with_streams_goes_on_from_a_file[smmcts duct",
    "search/test_streams.py::test_bits_depend_on_streams_and_not_on_threads[mccr]",
    "search/test_streams.py::test_bits_depend_on_streams_and_not_on_threads[oos baseline",
    "search/test_streams.py::test_bits_depend_on_streams_and_not_on_threads[sm-oos]",
    "search/test_streams.py::test_bits_depend_on_streams_and_not_on_threads[smmcts duct]",
    "search/test_streams.py::test_bits_depend_on_streams_and_not_on_threads[smmcts]",
    "search/test_thinking.py::test_a_search_is_for_one_thread_at_a_time[mccr-Kuhn",
    "states/test_induction.py::test_it_agrees_with_fractions[VariedMoves",
    "states/test_induction.py::test_it_agrees_with_the_sequence_form[OshiZumo(coins=6",
    "states/test_induction.py::test_it_agrees_with_the_sequence_form[VariedMoves",
    "states/test_induction.py::test_profiles_are_worth_what_they_are_in_turns[1-VariedMoves",
    "states/test_induction.py::test_saddle_points_are_those_of_fractions[PursuitEvasion",
    "states/test_induction.py::test_states_by_depth[PursuitEvasion",
    "states/test_induction.py::test_states_by_depth[Tron",
    "test_archives.py::test_files_made_on_purpose[ismcts]",
    "test_archives.py::test_files_made_on_purpose[joint nodes",
    "test_archives.py::test_files_made_on_purpose[oos with a baseline]",
    "test_docs.py::test_page[docs/",
    "trees/test_digests.py::test_no_bit_has_changed[goofspiel(num_cards=4)-induction",
    "trees/test_digests.py::test_no_bit_has_changed[oshi_zumo(6,2,1)-induction",
    "trees/test_linear_program.py::test_values[GenericPoker(card_types=3",
    "trees/test_linear_program.py::test_values[LiarsDice(dice1=1, dice2=1, faces=6",
    "trees/test_mccfr.py::test_baselines_do_not_change_what_is_right_on_average[KuhnPoker(num_cards=3)-external-set",
    "trees/test_mccfr.py::test_other_games_run[general sum-external]",
    "trees/test_tree.py::test_children_are_ranges_in_breadth_first_order[CoordinationGame",
    "trees/test_tree.py::test_children_are_ranges_in_breadth_first_order[MatrixGame",
    "trees/test_tree.py::test_children_are_ranges_in_breadth_first_order[ThreeHands",
    "trees/test_tree.py::test_counts[CoordinationGame",
    "trees/test_tree.py::test_counts[MatrixGame",
    "web/test_views.py::test_so_it_is_in_all_games",
)
"""How the names of tests begin that compile seconds of code, or count for seconds, for one more
game or variant of what another test covers. They are marked thorough.
"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    place = {name: number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: place.get(item.path.name, len(LONGEST)))
    for item in items:
        if item.nodeid.removeprefix("tests/").startswith(THOROUGH):
            item.add_marker(pytest.mark.thorough)


def pytest_collection_finish() -> None:
    """What was imported and collected stays until the end: no use to look through it for garbage
    again and again.
    """
    gc.freeze()


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Typed:
    """Type a command."""
    return Typed(monkeypatch, capsys)


@pytest.fixture
def own_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Forget afterwards the modules that a test imported from its folder, and that it did."""
    monkeypatch.setattr(sys, "path", sys.path[:])
    yield
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]
